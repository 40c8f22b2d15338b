// Alerts: where each rule stands for each namespace or disk, what happened, and the health they add up to.
import { type Static, Type } from 'typebox'
import { alert, alertEvent } from '../examples/alerts.js'
import { page, PageQuery } from '../pages.js'
import { count, flag, number, text, timestamp } from '../quantities.js'
import { Said } from '../sentence.js'
import { choice } from '../words.js'
import { AlertHealth } from './health.js'
import { Severity } from './rules.js'
import { owner } from '../kept.js'

export const AlertState = choice(['ok', 'pending', 'firing', 'resolved'], {
  description:
    '`ok`: the condition does not hold. `pending`: it holds, for less than `forSeconds`. `firing`: it held that long, ' +
    'and is not resolved yet. `resolved`: it fired within the last hour.',
})
export type AlertState = Static<typeof AlertState>

export const TargetWindow = Type.Object(
  {
    window: choice(['minute', 'hour', 'day', 'month'], {
      description: 'The last minute, hour, day or 30 days.',
    }),
    operations: count('Operations in it.'),
    within: count('Operations that succeeded within the target.'),
    sharePercent: Type.Optional(number('Share within the target, in percent. Unset without operations.')),
    enough: flag('True if there are enough operations to judge: 10 misses must be allowed.'),
    budgetLeftPercent: Type.Optional(
      number('Allowed misses that are left, in percent. Negative if there were more misses. Unset without operations.'),
    ),
  },
  { title: 'TargetWindow', description: 'A latency target over one window.' },
)
export type TargetWindow = Static<typeof TargetWindow>

export const BurnRate = Type.Object(
  {
    longMinutes: count('Length of the long window, in minutes.'),
    shortMinutes: count('Length of the short window, in minutes.'),
    limit: number('Fires if both windows reach this burn rate.'),
    long: Type.Optional(
      number(
        'Burn rate over the long window; 1 spends the budget exactly. Unset: too few operations, or none before the short window.',
      ),
    ),
    short: Type.Optional(number('Burn rate over the short window. Unset: no data.')),
  },
  { title: 'BurnRate', description: 'How fast misses spend the budget of a target.' },
)
export type BurnRate = Static<typeof BurnRate>

export const TargetReport = Type.Object(
  {
    percent: number('The target, in percent.'),
    withinUs: count('Latency target, in microseconds.'),
    op: text('Operations that count.'),
    missed: flag('True if the last minute or hour has enough operations, and too few within the target.'),
    windows: Type.Array(TargetWindow, { description: 'The target over the last minute, hour, day and 30 days.' }),
    burnRates: Type.Array(BurnRate, { description: 'The burn rates that decide whether it fires.' }),
  },
  { title: 'TargetReport', description: 'How well a latency target is met.' },
)
export type TargetReport = Static<typeof TargetReport>

const place = {
  namespace: Type.Optional(text('Name of the namespace. Unset: the whole server.')),
  ...owner,
  disk: Type.Optional(text('Path of the disk. Unset: not about one disk.')),
}

export const Alert = Type.Object(
  {
    ruleId: text('Id of its rule.'),
    rule: text('Name of its rule.'),
    severity: Severity,
    ...place,
    state: AlertState,
    since: timestamp('Since when it is in this state'),
    text: text('Where it stands, in one sentence.'),
    said: Said,
    value: Type.Optional(number('Newest value of the metric. Unset: no data.')),
    noDataSince: Type.Optional(timestamp('Since when there is no data', 'Unset if there is some.')),
    muted: flag('True if its rule sends no notices now.'),
    target: Type.Optional(TargetReport),
  },
  { title: 'Alert', description: 'Where a rule stands for one namespace, one disk or the server.', examples: [alert] },
)
export type Alert = Static<typeof Alert>

const problem = Type.Object({
  code: choice(['alerts_damaged', 'alerts_not_written', 'alerts_left_out'], {
    description:
      '`alerts_damaged`: a file of the alerts was damaged and is set aside. `alerts_not_written`: changes are in memory ' +
      'only. `alerts_left_out`: there are more alerts than the server keeps.',
  }),
  message: text('What is wrong, in one sentence.'),
  said: Said,
  since: timestamp('When it began'),
})
export type AlertProblem = Static<typeof problem>

const alertPage = page(Alert, 'AlertPage', 'alerts')

export const AlertPage = Type.Object(
  {
    ...alertPage.properties,
    health: AlertHealth,
    firing: count('Alerts that fire.'),
    pending: count('Alerts that are pending.'),
    missed: count('Latency targets that are missed.'),
    webhook: flag('True if a webhook is set.'),
    evaluatedAt: Type.Optional(timestamp('When the rules were evaluated last', 'Unset before the first time.')),
    problems: Type.Array(problem, { description: 'Problems of the alerts themselves. Empty if there are none.' }),
  },
  {
    title: 'AlertPage',
    description: 'A page of alerts, and what all of them add up to.',
    examples: [
      {
        items: [alert],
        truncated: false,
        limit: 500,
        health: { tone: 'bad', text: alert.text, reasons: [alert.text], said: [alert.said] },
        firing: 1,
        pending: 0,
        missed: 0,
        webhook: true,
        evaluatedAt: '2026-11-26T11:20:31.002Z',
        problems: [],
      },
    ],
  },
)

export const Alerts = Type.Object(
  {
    ...PageQuery.properties,
    state: Type.Optional({
      ...AlertState,
      description: 'Only alerts in this state. Unset: all.',
      examples: ['firing'],
    }),
  },
  { additionalProperties: false },
)

export const AlertDelivery = Type.Object(
  {
    state: choice(['waiting', 'delivered', 'failed', 'dropped'], {
      description:
        '`waiting`: it is being sent. `delivered`: the receiver answered with 2xx. `failed`: it did not, in all attempts. ' +
        '`dropped`: too many were waiting, or the webhook was deleted.',
    }),
    attempts: count('Attempts so far.'),
    status: Type.Optional(Type.Integer({ description: 'HTTP status of the last answer. Unset if there was none.' })),
    message: Type.Optional(text('Why it was not delivered.')),
  },
  { title: 'AlertDelivery', description: 'How a notice reached the webhook.' },
)
export type AlertDelivery = Static<typeof AlertDelivery>

export const AlertEvent = Type.Object(
  {
    id: text('Id of the event. A notice that is sent twice has the same.'),
    at: timestamp('When it happened'),
    kind: choice(['firing', 'resolved', 'test'], {
      description: '`firing`: it began to fire. `resolved`: it ended. `test`: a person tried the rule.',
    }),
    ruleId: text('Id of the rule.'),
    rule: text('Name of the rule.'),
    severity: Severity,
    ...place,
    text: text('What happened, in one sentence.'),
    said: Said,
    value: Type.Optional(number('Value of the metric. Unset: no data.')),
    muted: flag('True if its rule was muted, so no notice was sent.'),
    delivery: Type.Optional(AlertDelivery),
  },
  { title: 'AlertEvent', description: 'A change of an alert.', examples: [alertEvent] },
)
export type AlertEvent = Static<typeof AlertEvent>

export const AlertEventPage = page(AlertEvent, 'AlertEventPage', 'alert events')
