// GET /api/v1/metrics/history: frames of the past, merged by adding counts.
import { sendObject } from '../../../answers/record-stream.js'
import type { App } from '../../../app-types.js'
import { GatewayError } from '../../../errors.js'
import { durationMs } from '../../../requests/duration.js'
import { momentMs } from '../../../requests/moment.js'
import { History, HistoryQuery } from '../../../schemas/server/metrics.js'
import { say } from '../../../sentences/sentence.js'

const WINDOW_DEFAULT_MS = 15 * 60_000
/** Most frames in an answer, and the number that the default step aims at. */
const FRAMES_MAX = 3600
const FRAMES_AIM = 300

export function historyRoutes(app: App): void {
  app.get(
    '/metrics/history',
    {
      exposeHeadRoute: false,
      schema: {
        operationId: 'getHistory',
        tags: ['metrics'],
        summary: 'Read past metrics',
        description:
          'Answers latency, throughput, memory, device traffic and the sizes of namespaces. The history survives a ' +
          'restart and is kept second by second for 1 h, in steps of 15 s for 6 h, of 1 min for 48 h, and of 10 min for ' +
          '30 days. A range that lies further back than its step is kept for is answered in longer steps; `stepSeconds` ' +
          'says which. A time without frames is a gap: the server was stopped. A request for more than 3,600 frames ' +
          'is refused with `field_invalid`.',
        querystring: HistoryQuery,
        response: { 200: History },
      },
    },
    async (request, reply) => {
      const { from, to, step, namespace, op } = request.query
      const toMs = to === undefined ? Date.now() : momentMs(to)
      const fromMs = from === undefined ? toMs - WINDOW_DEFAULT_MS : momentMs(from)
      if (fromMs >= toMs)
        throw new GatewayError(
          'field_invalid',
          say('from must be before to, got {from} and {to}', {
            from: new Date(fromMs).toISOString(),
            to: new Date(toMs).toISOString(),
          }),
          { field: 'from' },
        )
      if (step !== undefined && durationMs(step) < 1000)
        throw new GatewayError('field_invalid', say('step must be at least 1s, got {given}', { given: step }), {
          field: 'step',
        })
      const seconds = (toMs - fromMs) / 1000
      const stepSeconds =
        step === undefined ? Math.max(1, Math.round(seconds / FRAMES_AIM)) : Math.ceil(durationMs(step) / 1000)
      if (seconds / stepSeconds > FRAMES_MAX) {
        throw new GatewayError(
          'field_invalid',
          say('the range has more than {most} frames of {stepSeconds} s; use a longer step or a shorter range', {
            most: FRAMES_MAX,
            stepSeconds,
          }),
          {
            field: 'step',
          },
        )
      }
      const range = {
        fromMs,
        toMs,
        stepSeconds,
        ...(namespace !== undefined && { namespace }),
        ...(op !== undefined && { op }),
      }
      const history = await app.streams.open(reply, async () => {
        const { next, close, ...found } = await request.engine.history(range)
        return { next, abort: close, ...found }
      })
      const known = { from: new Date(fromMs), to: new Date(toMs), stepSeconds: history.stepSeconds }
      return sendObject(reply, history, `${JSON.stringify(known).slice(0, -1)},"items":[`, () => ']}')
    },
  )
}
