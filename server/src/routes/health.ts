// Liveness, readiness and Prometheus, outside of /api.
import type { App } from '../app-types.js'
import { disksText, openDevices } from '../live/prometheus-disks.js'
import { gatewayText } from '../live/prometheus-gateway.js'
import { LatencyTotals, statusText } from '../live/prometheus.js'
import { gatewayUse } from '../overload/use.js'
import { Liveness, Readiness } from '../schemas/status.js'
import { Type } from 'typebox'

export function healthRoutes(app: App): void {
  app.get(
    '/healthz',
    {
      config: { public: true },
      schema: {
        operationId: 'getLiveness',
        tags: ['status'],
        summary: 'The process lives',
        response: { 200: Liveness },
      },
    },
    () => ({ status: 'ok' as const }),
  )

  app.get(
    '/readyz',
    {
      config: { public: true },
      schema: {
        operationId: 'getReadiness',
        tags: ['status'],
        summary: 'Every namespace that can be opened is open, its index rebuilt, its disk writable',
        response: { 200: Readiness, 503: Readiness },
      },
    },
    async (request, reply) => {
      const { healthy, recovering, reasons, notices, progress } = await request.engine.status()
      // A namespace that could not be opened needs a person, and must not take the others out of service.
      const ready = !recovering && notices.every(({ state }) => state === 'ready' || state === 'failed')
      const state = recovering ? 'starting' : healthy ? 'ready' : 'degraded'
      if (recovering) reply.header('retry-after', '1')
      return reply.code(ready ? 200 : 503).send({ ready, state, reasons, progress })
    },
  )
}

export function prometheusRoutes(app: App): void {
  const totals = new LatencyTotals(() => app.engine.namespaceNames())
  app.addHook('onReady', (done) => {
    // Without an engine only the API document is made.
    if (app.hasDecorator('live')) app.live.listen((frame) => totals.add(frame))
    done()
  })

  app.get(
    '/metrics',
    {
      config: { produces: ['text/plain', 'application/openmetrics-text'] },
      schema: {
        operationId: 'getPrometheus',
        tags: ['metrics'],
        summary: 'Prometheus text',
        response: { 200: { description: 'exposition format', content: { 'text/plain': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => {
      const { engine } = request
      const disks = disksText(await openDevices(engine))
      reply.type('text/plain; version=0.0.4; charset=utf-8')
      return (
        statusText(await engine.status(), await engine.namespaces()) +
        gatewayText(gatewayUse(app)) +
        disks +
        totals.text()
      )
    },
  )
}
