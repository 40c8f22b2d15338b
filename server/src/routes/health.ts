// Liveness, readiness and Prometheus, outside of /api.
import type { App } from '../app-types.js'
import { disksText, openDevices } from '../live/prometheus-disks.js'
import { gatewayText } from '../live/prometheus-gateway.js'
import { LatencyTotals, statusText } from '../live/prometheus.js'
import { gatewayUse } from '../overload/use.js'
import { Liveness, Readiness } from '../schemas/server/status.js'
import { Type } from 'typebox'

export function healthRoutes(app: App): void {
  app.get(
    '/healthz',
    {
      config: { public: true },
      schema: {
        operationId: 'getLiveness',
        tags: ['status'],
        summary: 'Check that the process is alive',
        description: 'Answers 200 as long as the process runs. It needs no credentials and touches no data.',
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
        summary: 'Check that the server can take requests',
        description:
          'Answers 200 if every namespace that can be opened is open and takes writes, else 503 with the ' +
          'reasons. A namespace that failed to open does not count. It needs no credentials.',
        response: { 200: Readiness, 503: Readiness },
      },
    },
    async (request, reply) => {
      const { healthy, recovering, reasons, dataDirectoryFailure, notices, progress } = await request.engine.status()
      // A namespace that could not be opened needs a person. It must not take the others out of service.
      const served = notices.every(({ state }) => state === 'ready' || state === 'failed')
      const ready = !recovering && served && dataDirectoryFailure === undefined
      const state = recovering ? 'starting' : healthy ? 'ready' : 'degraded'
      if (recovering) reply.header('retry-after', '1')
      return reply.code(ready ? 200 : 503).send({ ready, state, reasons, progress })
    },
  )
}

export function prometheusRoutes(app: App): void {
  const totals = new LatencyTotals(() => app.engine.namespaceNames())
  app.addHook('onReady', (done) => {
    // Without an engine, only the API document is made.
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
        summary: 'Read the metrics for Prometheus',
        description:
          'Answers counters, gauges and latency histograms in the Prometheus text format. Histograms count from ' +
          'the start of the server.',
        response: {
          200: {
            description: 'Metrics in the exposition format.',
            content: {
              'text/plain': {
                schema: Type.String({
                  description: 'One sample per line.',
                  examples: ['tessera_records{namespace="shop"} 2000\n'],
                }),
              },
            },
          },
        },
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
