// GET /metrics: the metrics for Prometheus, outside of /api.
import { Type } from 'typebox'
import type { App } from '../app-types.js'
import { familyWithin } from '../live/prometheus/within.js'
import { familiesOf } from '../live/prometheus/families.js'
import { gauge } from '../live/prometheus/family.js'
import { LatencyTotals } from '../live/prometheus/operations.js'
import { PROTOBUF_MEDIA, PROTOBUF_TYPE, protobufOf } from '../live/prometheus/protobuf.js'
import { TEXT_TYPE, textOf } from '../live/prometheus/text.js'
import { atOnce, inTurns, Shared } from '../live/prometheus/turns.js'
import { wanted } from '../requests/accept.js'

export function prometheusRoutes(app: App): void {
  const totals = new LatencyTotals(() => app.engine.namespaceNames())
  const answers = new Shared<Buffer>()
  app.addHook('onReady', (done) => {
    // Without an engine, only the API document is made.
    if (app.hasDecorator('live')) app.live.listen((frame) => totals.add(frame))
    done()
  })

  app.get(
    '/metrics',
    {
      config: { vital: true, produces: ['text/plain', 'application/openmetrics-text', PROTOBUF_MEDIA] },
      schema: {
        operationId: 'getPrometheus',
        tags: ['metrics'],
        summary: 'Read the metrics for Prometheus',
        description:
          'Answers counters, gauges and latency histograms in the text format of Prometheus. A client that prefers ' +
          'protobuf gets that, and with it native histograms: eight buckets per octave beside the exact edges. ' +
          'Histograms count from the start of the server. Who does not see all namespaces gets the metrics of those that ' +
          'they see.',
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
              [PROTOBUF_MEDIA]: {
                schema: Type.Unsafe<Buffer>({
                  type: 'string',
                  format: 'binary',
                  description: 'Messages `io.prometheus.client.MetricFamily`, each with its length before it.',
                  examples: [atOnce(protobufOf([gauge('healthy', '', 1)])).toString('latin1')],
                }),
              },
            },
          },
        },
      },
    },
    async ({ engine, reach, headers: { accept = '' } }, reply) => {
      const [type, format] = prefersProtobuf(accept) ? [PROTOBUF_TYPE, protobufOf] : [TEXT_TYPE, textOf]
      const whole = await answers.get(`${type} ${reach?.key ?? ''}`, async () => {
        const all = [...(await familiesOf(app, engine)), totals.family()]
        return inTurns(format(reach === undefined ? all : all.flatMap((family) => familyWithin(family, reach))))
      })
      // It is large: 50 clients at once would keep the loop from its sockets.
      await app.gate.giveWay(whole.length)
      return reply.header('vary', 'Accept').type(type).send(whole)
    },
  )
}

// Only if protobuf is named: `*/*` of a person who tries it means text.
function prefersProtobuf(accept: string): boolean {
  const [protobuf, text] = [wanted(accept, PROTOBUF_MEDIA), wanted(accept, 'text/plain')]
  return protobuf.named === 3 && protobuf.q > 0 && protobuf.q >= text.q
}
