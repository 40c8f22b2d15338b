// Records: one by key, and a page. Bodies pass through as bytes.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { bytes, bytesOf } from '../../../bodies/rule.js'
import type { Engine, WriteOptions } from '../../../engines/engine.js'
import { GatewayError, toFailure } from '../../../errors.js'
import { observe } from '../../../live/observe.js'
import { attribute } from '../../../answers/attribute.js'
import { writeMatching } from '../../../requests/etag.js'
import { readKey } from '../../../requests/key.js'
import { addressOf, type Place, places, type RecordAddress } from '../../../requests/place.js'
import { JSON_TYPE, PACKED } from '../../../answers/preferred.js'
import { generationIn } from './generation.js'
import { mergeRecord } from './merge.js'
import { MERGE_PATCH } from '../../../requests/merge-patch.js'
import { sendObject } from '../../../answers/record-stream.js'
import { nameList } from '../../../requests/name-list.js'
import { IfNoneMatchHeaders, onlyCreate } from '../../../schemas/etags.js'
import {
  BinNames,
  Bins,
  DataRecord,
  FromType,
  KeyType,
  RecordPage,
  WriteResult,
} from '../../../schemas/records/records.js'
import { say } from '../../../sentences/sentence.js'

const tags = ['records']
const Key = Type.String({ description: 'Key of the record, read as `keytype` says.', examples: ['ada'] })

const keytype = Type.Optional(KeyType)
const route = Type.Optional(
  Type.String({
    maxLength: 8192,
    description:
      "Value of the set's distribution bin, as JSON. It finds the record faster; unset, all segments are searched.",
    examples: ['17330407'],
  }),
)
const ttlSeconds = Type.Optional(
  Type.Integer({
    minimum: -2,
    description:
      "Time to live, in seconds. -1: never expires. -2: keep it unchanged. 0: the namespace's default. Default: 0.",
    examples: [86_400],
  }),
)
const writeHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description:
        'The `ETag` you read: the generation in quotes, or up to 16 of them. If none is current, the call is refused with ' +
        '`generation_mismatch`. A weak tag (`W/`) is never current. `*`: the record must exist. Unset: no check. ' +
        'Calls that need a record in any case answer `record_not_found` if there is none.',
      examples: ['"3"'],
    }),
  ),
  'if-none-match': onlyCreate('record_exists', 'the record'),
})

const bins = bytes([JSON_TYPE, PACKED])
const requestBody = { [JSON_TYPE]: Bins, [PACKED]: Bins }

const PAGE_DEFAULT = 100

export function recordRoutes(app: App): void {
  for (const place of places) routesOf(app, place)
}

function routesOf(app: App, { base, params: inSet, suffix, words }: Place): void {
  const url = `${base}/records`
  const params = Type.Object({ ...inSet.properties, key: Key })

  app.get(
    `${url}/:key`,
    {
      onResponse: observe('get'),
      config: { packed: true },
      schema: {
        operationId: `getRecord${suffix}`,
        tags,
        summary: `Read a record${words}`,
        description:
          'Answers a record with its metadata. Its `ETag` is its generation. A missing or expired record is refused with `record_not_found`.',
        params,
        querystring: Type.Object({ keytype, bins: BinNames, route }, { additionalProperties: false }),
        headers: IfNoneMatchHeaders,
        response: { 200: DataRecord },
      },
    },
    (request, reply) => {
      const { ns, set, key } = addressOf(request.params)
      const { query } = request
      const form = {
        shape: 'record' as const,
        ...(query.bins !== undefined && { bins: nameList(query.bins) }),
        ...(query.route !== undefined && { route: query.route }),
      }
      const record = request.engine.getRecord(ns, set, readKey(key, query.keytype ?? 'string'), form)
      if (!(record instanceof Promise)) return sendRecord(reply, record)
      return record.then((found) => sendRecord(reply, found))
    },
  )

  app.put(
    `${url}/:key`,
    {
      onResponse: observe('put'),
      config: { body: bins, requestBody, packed: true },
      schema: {
        operationId: `putRecord${suffix}`,
        tags,
        summary: `Write a record${words}`,
        description:
          'Creates a record (201), or replaces all bins of an existing one (200). `If-Match` and `If-None-Match` guard against lost updates. A record over `maxRecordBytes` is refused with `record_too_large`.',
        params,
        querystring: Type.Object({ keytype, ttlSeconds }, { additionalProperties: false }),
        headers: writeHeaders,
        response: { 200: WriteResult, 201: WriteResult },
      },
    },
    (request, reply) => {
      const { ns, set, key } = addressOf(request.params)
      const create = request.headers['if-none-match'] !== undefined
      const exists: Write['exists'] = create
        ? 'create'
        : request.headers['if-match'] === undefined
          ? 'upsert'
          : 'replace'
      const asked = { ns, set, key, exists, ...request.query, 'if-match': request.headers['if-match'] }
      const written = write(request, reply, asked)
      return exists === 'replace' ? written.catch(unmatched) : written
    },
  )

  app.patch(
    `${url}/:key`,
    {
      onResponse: observe('update'),
      config: { body: bins, requestBody, packed: true },
      schema: {
        operationId: `patchRecord${suffix}`,
        tags,
        summary: `Merge bins into a record${words}`,
        description:
          'Writes the given bins of an existing record and keeps the others; null deletes a bin. As a merge-patch (RFC 7396), maps inside bins are merged too. A missing record is refused with `record_not_found`.',
        params,
        querystring: Type.Object({ keytype, ttlSeconds }, { additionalProperties: false }),
        headers: Type.Pick(writeHeaders, ['if-match']),
        response: { 200: WriteResult },
      },
    },
    (request, reply) => {
      const { ns, set, key } = addressOf(request.params)
      return write(request, reply, {
        ns,
        set,
        key,
        exists: 'update',
        ...request.query,
        'if-match': request.headers['if-match'],
      })
    },
  )

  app.delete(
    `${url}/:key`,
    {
      onResponse: observe('delete'),
      schema: {
        operationId: `deleteRecord${suffix}`,
        tags,
        summary: `Delete a record${words}`,
        description: 'Deletes a record by its key. A missing record is refused with `record_not_found`.',
        params,
        querystring: Type.Object({ keytype, route }, { additionalProperties: false }),
        headers: Type.Pick(writeHeaders, ['if-match']),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { ns, set, key } = addressOf(request.params)
      const { keytype: type = 'string', route: by } = request.query
      const deleted = await writeMatching(request.headers['if-match'], (generation) =>
        request.engine.deleteRecord(ns, set, readKey(key, type), {
          ...(generation !== undefined && { generation, generationPolicy: 'equal' }),
          ...(by !== undefined && { route: by }),
        }),
      )
      if (!deleted) throw absent()
      return reply.code(204).send(null)
    },
  )

  app.get(
    url,
    {
      onResponse: observe('scan'),
      config: { packed: true },
      schema: {
        operationId: `listRecords${suffix}`,
        tags,
        summary: `List records${words}`,
        description:
          'Answers a page of records in the order of the index, not of their keys. It covers the segments this node is the primary owner of. To read many records fast, use a scan.',
        params: inSet,
        querystring: Type.Object(
          {
            limit: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: 10_000,
                default: PAGE_DEFAULT,
                description: 'Most records in the answer, 1 to 10,000. Default: 100.',
                examples: [100],
              }),
            ),
            cursor: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 4096,
                description: 'The `cursor` of the previous page. Unset: the first page.',
                examples: ['zQAJAAAA7H4Xhg'],
              }),
            ),
            from: Type.Optional(
              Type.String({
                maxLength: 16_384,
                description:
                  'Key of the record to begin at, read as `keytype` says. Ignored with `cursor`. Unset: the first record.',
                examples: ['ada'],
              }),
            ),
            keytype: Type.Optional(FromType),
            segment: Type.Optional(
              Type.Integer({
                minimum: 0,
                maximum: 4095,
                description:
                  'Segment to begin at: records of the segments before it are left out. Send it with each `cursor` too. Ignored with `from`. Unset: the first one.',
                examples: [128],
              }),
            ),
            bins: BinNames,
          },
          { additionalProperties: false },
        ),
        response: { 200: RecordPage },
      },
    },
    async (request, reply) => {
      const { ns, set } = addressOf(request.params)
      const { limit = PAGE_DEFAULT, cursor, from, keytype: type = 'string', segment, bins: names } = request.query
      const stream = await request.engine.scan(ns, {
        set,
        threads: 1,
        limit,
        shape: 'record',
        ...(cursor !== undefined && { cursor }),
        ...(from !== undefined && { from: readKey(from, type, 'from').value }),
        ...(segment !== undefined &&
          from === undefined && { segments: await segmentsFrom(request.engine, ns, segment) }),
        ...(names !== undefined && { bins: nameList(names) }),
      })
      attribute(request, stream.jobId)
      return sendObject(reply, stream, '{"items":[', () => {
        const { truncated, cursor: next } = stream.summary()
        return `],${JSON.stringify({ truncated, ...(next !== undefined && { cursor: next }), limit }).slice(1)}`
      })
    },
  )
}

/** This segment and those after it that this node is the primary owner of. */
async function segmentsFrom(engine: Engine, ns: string, first: number): Promise<number[]> {
  const {
    config: { segments = 1, ownership },
  } = await engine.namespace(ns)
  const last = segments - 1
  if (first > last)
    throw new GatewayError('field_invalid', say('segment must be 0 to {last}, got {given}', { last, given: first }), {
      field: 'segment',
    })
  const rest = Array.from({ length: segments - first }, (_, at) => first + at)
  if (ownership === undefined) return rest
  const primary = new Set((await engine.segments(ns)).flatMap((one) => (one.primary ? [one.segment] : [])))
  return rest.filter((one) => primary.has(one))
}

/** Without If-Match the record would have been made, so it is the condition that failed (RFC 9110, 13.1.1). */
function unmatched(failure: unknown): never {
  if (toFailure(failure).code !== 'record_not_found') throw failure
  throw new GatewayError('generation_mismatch', say('there is no record with this key'), { field: 'if-match' })
}

const absent = () => new GatewayError('record_not_found', say('there is no record with this key'), { field: 'key' })

function sendRecord(reply: FastifyReply, record: Buffer | null): void {
  if (record === null) throw absent()
  reply
    .header('etag', `"${generationIn(record)}"`)
    .type('application/json')
    .send(record)
}

interface Write extends RecordAddress {
  exists: WriteOptions['exists']
  keytype?: KeyType
  ttlSeconds?: number
  'if-match': string | undefined
}

async function write(request: FastifyRequest, reply: FastifyReply, asked: Write): Promise<void> {
  const { ns, set, key, exists, keytype: type = 'string', ttlSeconds } = asked
  const result = await writeMatching(asked['if-match'], (generation) => {
    const target = readKey(key, type)
    const options: WriteOptions = {
      exists,
      shape: request.mediaType === PACKED ? 'packed' : 'record',
      ...(generation !== undefined && { generation, generationPolicy: 'equal' }),
      ...(ttlSeconds !== undefined && { ttlSeconds }),
    }
    const body = bytesOf(request.body)
    if (request.mediaType === MERGE_PATCH) return mergeRecord(request, { ns, set, key: target }, body, options)
    return request.engine.putRecord(ns, set, target, body, options)
  })
  return reply
    .code(result.created ? 201 : 200)
    .header('etag', `"${result.generation}"`)
    .send(result)
}
