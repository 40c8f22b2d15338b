// Batches of records: NDJSON in, and for reads NDJSON out.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { bytes, bytesOf } from '../../../bodies/rule.js'
import { GatewayError } from '../../../errors.js'
import { observe } from '../../../live/observe.js'
import { linesOfPacked } from '../../../msgpack/to-json.js'
import { nameList } from '../../../requests/name-list.js'
import { addressOf, type Place, places } from '../../../requests/place.js'
import { JSON_TYPE, PACKED, SEQUENCE, wantsPacked, wantsSequence } from '../../../answers/preferred.js'
import { sendLines, sendObject, sendValues } from '../../../answers/record-stream.js'
import { record } from '../../../schemas/examples/jobs.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { BatchReport, BinNames } from '../../../schemas/records/records.js'
import { valuesFor } from '../../../schemas/records/values.js'
import { say } from '../../../sentences/sentence.js'
import { choice } from '../../../schemas/words.js'

const tags = ['records']
const Writes = Type.String({
  description:
    'One JSON object per line: `{"key": .., "bins": {..}}`, if wanted with `ttlSeconds` and `op`: `put` (default) or `delete`.',
  examples: ['{"key":"ada","bins":{"name":"Ada"}}\n{"key":"eve","op":"delete"}\n'],
})
const keyForms = 'a string, an integer, or `{"bytes": "<base64>"}`.'
const KeyLines = Type.String({ description: `One key per line: ${keyForms}`, examples: ['"ada"\n"nobody"\n'] })
const Keys = Type.Array(Type.Unknown(), { description: `The keys: ${keyForms}`, examples: [['ada', 'nobody']] })
const RecordLines = Type.String({
  description: 'One record, or missing key, per line.',
  examples: [`${JSON.stringify(record)}\n{"key":"nobody","missing":true}\n`],
})
const PackedWrites = Type.Array(Type.Unknown(), {
  description: 'A list of such objects. Integers are exact in 64 bits, and bytes are bytes.',
  examples: [[{ key: 'ada', bins: { name: 'Ada' } }]],
})
const PackedRecords = Type.Array(Type.Unknown(), {
  description: 'One record, or missing key, per key.',
  examples: [[record, { key: 'nobody', missing: true }]],
})
const LINES = ['application/x-ndjson', 'application/jsonl']
const COMPRESSED = { compressed: true }
const compressed =
  ' The body may be compressed with gzip or Brotli, with Node 22.15 also with zstd (`Content-Encoding`).'

/** The body as the core takes it. */
const linesIn = (request: FastifyRequest, items: 'keys' | 'records'): Buffer =>
  request.mediaType === PACKED ? linesOfPacked(bytesOf(request.body), items) : bytesOf(request.body)

/** The keys as the core takes them. It takes lines and lists alike: that JSON is a list is looked at here. */
function keysIn(request: FastifyRequest): Buffer {
  const keys = linesIn(request, 'keys')
  if (request.mediaType === JSON_TYPE && !isList(keys))
    throw new GatewayError('key_invalid', say('keys as JSON must be a list'), { field: 'keys' })
  return keys
}

/** Whether JSON begins as a list. */
function isList(json: Buffer): boolean {
  let at = 0
  while (SPACES.includes(json[at] ?? LIST)) at += 1
  return json[at] === LIST
}

const LIST = 0x5b
const SPACES = Buffer.from(' \t\r\n')

export function batchWriteRoutes(app: App): void {
  for (const place of places) writeRouteOf(app, place)
}

function writeRouteOf(app: App, { base, params, suffix, words }: Place): void {
  app.post(
    `${base}/records`,
    {
      onResponse: observe('batch'),
      config: {
        idempotent: true,
        packed: true,
        body: bytes([...LINES, PACKED], COMPRESSED),
        requestBody: {
          'application/x-ndjson': Writes,
          [PACKED]: PackedWrites,
        },
      },
      schema: {
        operationId: `writeRecords${suffix}`,
        tags,
        summary: `Write or delete many records${words}`,
        description:
          'Takes one JSON object per line. Good lines take effect and the others are reported; with `atomic=batch` all lines take effect or none, and a rejected line answers 422. For large amounts, import instead.' +
          compressed,
        params,
        querystring: Type.Object(
          {
            atomic: Type.Optional(
              choice(['batch'], {
                description: '`batch`: all lines take effect, or none. Unset: each line by itself.',
                examples: ['batch'],
              }),
            ),
            exists: Type.Optional(
              choice(['upsert', 'create', 'replace', 'update', 'merge'], {
                default: 'upsert',
                description:
                  'What a write does. `upsert`: create or replace. `create`: only create. `replace`: only replace. ' +
                  '`update`: merge into an existing record. `merge`: create, or merge. Default: `upsert`.',
                examples: ['create'],
              }),
            ),
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
      const report = await request.engine.writeRecords(ns, set, linesIn(request, 'records'), {
        atomic: atomic === 'batch',
        exists,
      })
      const refused = atomic === 'batch' && report.rejectedTotal > 0
      return reply.code(refused ? 422 : 200).send(report)
    },
  )
}

export function batchReadRoutes(app: App): void {
  for (const place of places) readRouteOf(app, place)
}

function readRouteOf(app: App, { base, params, suffix, words }: Place): void {
  app.post(
    `${base}/read`,
    {
      onResponse: observe('batch'),
      config: {
        produces: ['application/x-ndjson', SEQUENCE],
        packed: true,
        body: bytes([JSON_TYPE, ...LINES, PACKED], COMPRESSED),
        requestBody: { 'application/x-ndjson': KeyLines, [JSON_TYPE]: Keys, [PACKED]: Keys },
      },
      schema: {
        operationId: `readRecords${suffix}`,
        tags,
        summary: `Read many records by key${words}`,
        description:
          'Reads up to 10,000 records. The answer has one line per key, in the order of the keys: the record, or `{"key": .., "missing": true}`.' +
          compressed,
        params,
        querystring: Type.Object({ bins: BinNames }, { additionalProperties: false }),
        response: {
          200: {
            description: 'One line per key.',
            content: {
              'application/x-ndjson': { schema: RecordLines },
              [PACKED]: { schema: PackedRecords },
              [SEQUENCE]: { schema: valuesFor('key') },
            },
          },
        },
      },
    },
    (request, reply) => {
      const { ns, set } = addressOf(request.params)
      const { bins } = request.query
      const wanted = bins === undefined ? undefined : nameList(bins)
      const found = request.engine.readRecords(ns, set, keysIn(request), wanted)
      if (wantsSequence(request)) return sendValues(reply, found)
      return wantsPacked(request) ? sendObject(reply, found, '[', () => ']') : sendLines(reply, found)
    },
  )
}
