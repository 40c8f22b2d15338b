// Alerts, their events, and the metrics that rules can watch.
import type { App } from '../../../app-types.js'
import { metrics } from '../../../alerts/watch/metrics.js'
import { seesOf } from '../../../auth/reach.js'
import { pageOf } from '../../../requests/page.js'
import { AlertEventPage, AlertPage, Alerts } from '../../../schemas/alerts/alerts.js'
import { AlertMetricList } from '../../../schemas/alerts/rules.js'
import { PageQuery } from '../../../schemas/pages.js'

const tags = ['alerts']
const catalogue = metrics.map(({ metric, unit, scope, windowed, description }) => ({
  metric,
  unit,
  scope,
  windowed,
  description,
}))

export function alertRoutes(app: App): void {
  const { alerts } = app

  app.get(
    '/alerts',
    {
      schema: {
        operationId: 'listAlerts',
        tags,
        summary: 'List alerts',
        description:
          'Answers where each rule stands for each namespace, disk or the server, in the order of the rules, and the ' +
          'health that all of them add up to. Rules are evaluated once per second. At most 1,000 alerts are evaluated.',
        querystring: Alerts,
        response: { 200: AlertPage },
      },
    },
    ({ reach, query: { state, ...page } }) => {
      const sees = seesOf(reach)
      const all = alerts.list(sees)
      const { evaluatedAt } = alerts
      return {
        ...pageOf(
          all.filter((alert) => state === undefined || alert.state === state),
          page,
          ({ ruleId, namespace, disk }) => `${ruleId} ${namespace ?? ''} ${disk ?? ''}`,
        ),
        health: alerts.health(sees),
        firing: all.filter((alert) => alert.state === 'firing').length,
        pending: all.filter((alert) => alert.state === 'pending').length,
        missed: all.filter(({ target }) => target?.missed === true).length,
        webhook: alerts.rules.hasWebhook,
        ...(evaluatedAt !== undefined && { evaluatedAt }),
        problems: reach === undefined ? alerts.problems() : [],
      }
    },
  )

  app.get(
    '/alerts/events',
    {
      schema: {
        operationId: 'listAlertEvents',
        tags,
        summary: 'List changes of alerts',
        description:
          'Answers when alerts fired, were resolved or were tested, newest first, and how their notices were delivered. ' +
          'The server keeps the last 1,000.',
        querystring: PageQuery,
        response: { 200: AlertEventPage },
      },
    },
    ({ reach, query }) => pageOf(alerts.events().filter(seesOf(reach)), query, ({ id }) => id),
  )

  app.get(
    '/alerts/metrics',
    {
      schema: {
        operationId: 'listAlertMetrics',
        tags,
        summary: 'List the metrics that rules can watch',
        description: 'Answers each metric with its unit, and what has a value of it.',
        response: { 200: AlertMetricList },
      },
    },
    () => ({ items: catalogue }),
  )
}
