// Import: streams a CSV, NDJSON or MessagePack upload of any size to the engine, with backpressure.
import type { FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import type { ImportSpec } from '../../../engines/engine.js'
import { GatewayError } from '../../../errors.js'
import { attribute } from '../../../answers/attribute.js'
import { nameList } from '../../../requests/name-list.js'
import { NamespaceName } from '../../../schemas/words.js'
import { type ColumnType, columnTypes, ImportQuery, ImportReport } from '../../../schemas/load/import.js'
import { say } from '../../../sentences/sentence.js'

const formats: Record<string, 'csv' | 'ndjson' | 'msgpack'> = {
  'text/csv': 'csv',
  'application/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/json': 'ndjson',
  'application/msgpack': 'msgpack',
  'application/x-msgpack': 'msgpack',
  'application/vnd.msgpack': 'msgpack',
}

export function importRoutes(app: App): void {
  app.post(
    '/namespaces/:ns/import',
    {
      config: {
        idempotent: false,
        body: 'stream',
        requestBody: {
          'text/csv': Type.String({
            description: 'One record per line, under a line of names.',
            examples: ['event_id,event_type\n1,PushEvent\n'],
          }),
          'application/x-ndjson': Type.String({
            description: 'One JSON object per line.',
            examples: ['{"event_id":1,"event_type":"PushEvent"}\n'],
          }),
          'application/msgpack': Type.Unsafe<string>({
            type: 'string',
            format: 'binary',
            examples: ['\u0081\u00a3key\u0001'],
            description: 'One map per record, one after another, without a list around them.',
          }),
        },
      },
      schema: {
        operationId: 'importRecords',
        tags: ['load'],
        summary: 'Import records',
        description:
          'Streams CSV, NDJSON or MessagePack, plain or compressed with gzip or zstd, into a namespace on many ' +
          'threads. It answers after the last row is stored; `X-Job-Id` names the job, which shows progress. Rejected rows ' +
          'do not stop the import: see `GET /api/v1/jobs/{id}/rejects`. If the upload breaks off, stored rows ' +
          'stay and the rest can follow: see `GET /api/v1/imports/{jobId}`.',
        params: Type.Object({ ns: NamespaceName }),
        querystring: ImportQuery,
        response: { 200: ImportReport },
      },
    },
    async (request, reply) => {
      if (request.body === undefined) throw new GatewayError('body_missing', say('this route needs a body'))
      const { ns } = request.params
      const spec = readSpec(app, request, request.query)
      const session = await request.engine.beginImport(ns, spec)
      attribute(request, session.jobId)
      reply.header('x-job-id', session.jobId)
      const { set, bytesTotal, dryRun } = spec
      const upload = app.uploads.add(session, {
        namespace: ns,
        ...(set !== undefined && { set }),
        ...(bytesTotal !== undefined && { totalBytes: bytesTotal }),
        ...(dryRun !== undefined && { dryRun }),
      })
      return { jobId: session.jobId, ...(await app.uploads.receive(upload, request.body as Readable)) }
    },
  )
}

function readSpec(app: App, request: FastifyRequest, query: ImportQuery): ImportSpec {
  const { columns, types, map, format = formatOf(request), threads = app.config.defaultThreads, ...rest } = query
  const length = Number(request.headers['content-length'])
  return {
    ...rest,
    format,
    threads,
    ...encodingOf(request),
    ...(columns !== undefined && { columns: nameList(columns) }),
    ...(map !== undefined && { map: nameList(map) }),
    ...(types !== undefined && { types: readTypes(types) }),
    ...(Number.isSafeInteger(length) && { bytesTotal: length }),
  }
}

function formatOf(request: FastifyRequest): 'csv' | 'ndjson' | 'msgpack' {
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  const format = formats[mediaType]
  if (format !== undefined) return format
  throw new GatewayError(
    'media_type_unsupported',
    say('Content-Type must be text/csv, application/x-ndjson or application/msgpack, got {given}; or set ?format=', {
      given: mediaType || 'none',
    }),
    {
      field: 'content-type',
    },
  )
}

/** Without the header the engine tells it from the first bytes. */
function encodingOf(request: FastifyRequest): Pick<ImportSpec, 'encoding'> {
  const encoding = request.headers['content-encoding']?.toLowerCase()
  if (encoding === undefined) return {}
  if (encoding === 'identity' || encoding === 'gzip' || encoding === 'zstd') return { encoding }
  throw new GatewayError(
    'encoding_unsupported',
    say('Content-Encoding must be identity, gzip or zstd, got {given}', { given: encoding }),
    {
      field: 'content-encoding',
    },
  )
}

function readTypes(text: string): Record<string, ColumnType> {
  const pairs = nameList(text).map((pair) => {
    const colon = pair.lastIndexOf(':')
    const type = columnTypes.find((candidate) => candidate === pair.slice(colon + 1))
    if (colon < 1 || type === undefined) {
      throw new GatewayError(
        'field_invalid',
        say('types must be column:type pairs with a type of {names}, got {given}', {
          names: columnTypes.join(', '),
          given: pair.slice(0, 80),
        }),
        {
          field: 'types',
        },
      )
    }
    return [pair.slice(0, colon), type] as const
  })
  return Object.fromEntries(pairs)
}
