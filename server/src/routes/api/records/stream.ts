// Streams: steps over records. The answer is NDJSON, values of MessagePack or one JSON object.
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { json } from '../../../bodies/rule.js'
import type { RecordStream } from '../../../engines/engine.js'
import { observe } from '../../../live/observe.js'
import { attribute } from '../../../answers/attribute.js'
import { ExplainQuery, sendPlan } from '../../../answers/plan.js'
import { LINES, PAGE_DEFAULT, SEQUENCE, wantsLines, wantsSequence } from '../../../answers/preferred.js'
import { objectEnd, sendGroups, sendLines, sendObject, sendValues } from '../../../answers/record-stream.js'
import { counted } from '../../../schemas/examples/search.js'
import { QueryPlan } from '../../../schemas/records/plans.js'
import { StreamAnswer, StreamRequest } from '../../../schemas/records/stream.js'
import { valuesFor } from '../../../schemas/records/values.js'
import { NamespaceName } from '../../../schemas/words.js'

export function streamRoutes(app: App): void {
  app.post(
    '/namespaces/:ns/stream',
    {
      onResponse: observe('query'),
      config: { body: json({ raw: ['steps'] }), produces: ['application/json', LINES, SEQUENCE], packed: true },
      schema: {
        operationId: 'stream',
        tags: ['query'],
        summary: 'Run a stream over records',
        description:
          'Reads the records of a namespace or set in parallel and passes them through steps: filter, map, ' +
          'sort, count and more. `Accept` chooses JSON, NDJSON or values of MessagePack. It covers the segments this node is the ' +
          'primary owner of.',
        params: Type.Object({ ns: NamespaceName }),
        querystring: ExplainQuery,
        body: StreamRequest,
        response: {
          200: {
            description: 'What passed the steps, or the plan if you asked for it.',
            content: {
              'application/json': { schema: Type.Union([StreamAnswer, QueryPlan], { examples: [counted] }) },
              [LINES]: {
                schema: Type.String({
                  description: 'One record, row, group or figure per line.',
                  examples: ['{"email":"test@gmail.com"}\n'],
                }),
              },
              [SEQUENCE]: { schema: valuesFor('record, row, group or figure') },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { ns } = request.params
      const { explain = request.query.explain, steps: raw, ...rest } = request.body
      const values = wantsSequence(request)
      const lines = values || wantsLines(request)
      const steps = raw as Buffer
      const spec = {
        threads: app.config.defaultThreads,
        ...rest,
        steps,
        ...(!lines && { most: PAGE_DEFAULT }),
        bareCount: !lines,
      }
      if (explain === true) return sendPlan(reply, await request.engine.explainStream(ns, spec))
      const stream = await app.streams.open(reply, () => request.engine.stream(ns, spec))
      attribute(request, stream.jobId)
      if (values) return sendValues(reply, stream)
      return lines ? sendLines(reply, stream) : sendAnswer(reply, stream, steps)
    },
  )
}

/** One object around the elements that passed all steps. */
function sendAnswer(reply: FastifyReply, stream: RecordStream, steps: Buffer): Promise<void> {
  const last = (JSON.parse(steps.toString()) as object[]).at(-1) ?? {}
  const end = objectEnd(stream)
  if ('count' in last) return sendObject(reply, stream, '{"count":', end)
  if ('reduce' in last) return sendObject(reply, stream, '{"reduce":', end)
  if ('groupBy' in last) return sendGroups(reply, stream)
  return sendObject(reply, stream, '{"rows":[', () => `]${end()}`)
}
