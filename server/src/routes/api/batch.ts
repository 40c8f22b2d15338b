// Many records at once: NDJSON in, and for reads NDJSON out.
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import { observe } from '../../live/observe.js'
import { acceptBytes, bytesOf } from '../../rest/body.js'
import { nameList } from '../../rest/name-list.js'
import { addressOf, type Place, places } from '../../rest/place.js'
import { sendLines } from '../../rest/record-stream.js'
import { IdempotencyHeaders } from '../../schemas/idempotency.js'
import { BatchReport, BinNames } from '../../schemas/records.js'
import { choice } from '../../schemas/words.js'

const tags = ['records']
const LINES = ['application/x-ndjson', 'application/jsonl']

export function batchWriteRoutes(app: App): void {
  acceptBytes(app, LINES)
  for (const place of places) writeRouteOf(app, place)
}

function writeRouteOf(app: App, { base, params, suffix, words }: Place): void {
  app.post(
    `${base}/records`,
    {
      onResponse: observe('batch'),
      config: { idempotent: true, requestBody: { 'application/x-ndjson': Type.String() } },
      schema: {
        operationId: `writeRecords${suffix}`,
        tags,
        summary: `Write or delete many records${words}`,
        description:
          'One JSON object a line: {"key":..,"bins":{..},"ttlSeconds"?,"op"?:"put"|"delete"}. Good lines are taken and the others ' +
          'reported; with atomic=batch all are taken or none.',
        params,
        querystring: Type.Object(
          {
            atomic: Type.Optional(choice(['batch'], { description: 'all lines or none' })),
            exists: Type.Optional(choice(['upsert', 'create', 'replace', 'update', 'merge'], { default: 'upsert' })),
          },
          { additionalProperties: false },
        ),
        headers: IdempotencyHeaders,
        response: { 200: BatchReport, 422: BatchReport },
      },
    },
    async (request, reply) => {
      const { ns, set } = addressOf(request.params)
      const { atomic, exists = 'upsert' } = request.query
      const report = await request.engine.writeRecords(ns, set, bytesOf(request.body), {
        atomic: atomic === 'batch',
        exists,
      })
      const refused = atomic === 'batch' && report.rejectedTotal > 0
      return reply.code(refused ? 422 : 200).send(report)
    },
  )
}

export function batchReadRoutes(app: App): void {
  acceptBytes(app, ['application/json', ...LINES])
  for (const place of places) readRouteOf(app, place)
}

function readRouteOf(app: App, { base, params, suffix, words }: Place): void {
  app.post(
    `${base}/read`,
    {
      onResponse: observe('batch'),
      config: {
        produces: ['application/x-ndjson'],
        requestBody: { 'application/x-ndjson': Type.String(), 'application/json': Type.Array(Type.Unknown()) },
      },
      schema: {
        operationId: `readRecords${suffix}`,
        tags,
        summary: `Read many records by key${words}`,
        description:
          'Up to 10,000 keys, one a line or a JSON array: a string, an integer, or {"bytes":"<base64>"}. The answer has a line for ' +
          'each key, in their order: the record, or {"key":..,"missing":true}.',
        params,
        querystring: Type.Object({ bins: BinNames }, { additionalProperties: false }),
        response: {
          200: {
            description: 'a line for each key',
            content: { 'application/x-ndjson': { schema: Type.String() } },
          },
        },
      },
    },
    (request, reply) => {
      const { ns, set } = addressOf(request.params)
      const { bins } = request.query
      const wanted = bins === undefined ? undefined : nameList(bins)
      return sendLines(reply, request.engine.readRecords(ns, set, bytesOf(request.body), wanted))
    },
  )
}
