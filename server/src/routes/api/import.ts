// Import: a CSV or NDJSON upload of any size, streamed to the engine no faster than it can take it.
import type { FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import type { ImportSession, ImportSpec } from '../../engines/engine.js'
import { isErrorCode } from '../../error-table.js'
import { GatewayError } from '../../errors.js'
import { acceptStream } from '../../rest/body.js'
import { attribute } from '../../rest/attribute.js'
import { Chunks } from '../../rest/chunks.js'
import { nameList } from '../../rest/name-list.js'
import { Name } from '../../schemas/words.js'
import type { Job } from '../../schemas/jobs.js'
import { type ColumnType, columnTypes, ImportQuery, ImportReport } from '../../schemas/load.js'

/** As long as an import may run: the longest timer there is, 24 days. */
const LONGEST_MS = 2 ** 31 - 1

const formats: Record<string, 'csv' | 'ndjson'> = {
  'text/csv': 'csv',
  'application/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/json': 'ndjson',
}

export function importRoutes(app: App): void {
  acceptStream(app)

  app.post(
    '/namespaces/:ns/import',
    {
      config: { idempotent: false, requestBody: { 'text/csv': Type.String(), 'application/x-ndjson': Type.String() } },
      schema: {
        operationId: 'importRecords',
        tags: ['load'],
        summary: 'Load CSV or NDJSON, gzip or zstd allowed, on many threads',
        description:
          'Answers when the last row is stored. The job, whose id comes with X-Job-Id, shows progress meanwhile; an upload that breaks off ' +
          'waits for its rest: see GET /api/v1/imports/{jobId}. Rows that were already stored stay. Rejected rows are in ' +
          'GET /api/v1/jobs/{id}/rejects.',
        params: Type.Object({ ns: Name }),
        querystring: ImportQuery,
        response: { 200: ImportReport },
      },
    },
    async (request, reply) => {
      if (request.body === undefined) throw new GatewayError('body_missing', 'this route needs a body')
      const session = request.engine.beginImport(request.params.ns, readSpec(app, request, request.query))
      attribute(request, session.jobId)
      reply.header('x-job-id', session.jobId)
      const ended = request.engine.waitJob(session.jobId, LONGEST_MS)
      const report = await upload(request.body as Readable, session, ended, app.config.bodyTimeoutMs)
      return { jobId: session.jobId, ...report }
    },
  )
}

async function upload(body: Readable, session: ImportSession, ended: Promise<Job>, idleMs: number) {
  const chunks = new Chunks(body, idleMs)
  ended.then(
    (job) => chunks.stop(endOf(job)),
    (error: unknown) => chunks.stop(error),
  )
  try {
    for (let chunk = await chunks.next(); chunk !== null; chunk = await chunks.next()) await session.write(chunk)
    return await session.finish()
  } catch (error) {
    session.abort()
    const brokeOff = (error as NodeJS.ErrnoException).code === 'ECONNRESET'
    throw brokeOff
      ? new GatewayError('body_truncated', 'the upload broke off; rows that were already stored stay')
      : error
  }
}

/** Why a job that ends before its upload did so. */
function endOf({ error }: Job): GatewayError {
  if (error !== undefined && isErrorCode(error.code)) return new GatewayError(error.code, error.message)
  return new GatewayError('aborted', 'the import was aborted; rows that were already stored stay')
}

function readSpec(app: App, request: FastifyRequest, query: ImportQuery): ImportSpec {
  const { columns, types, map, format = formatOf(request), threads = app.config.defaultThreads, ...rest } = query
  const length = Number(request.headers['content-length'])
  return {
    ...rest,
    format,
    threads,
    encoding: encodingOf(request),
    ...(columns !== undefined && { columns: nameList(columns) }),
    ...(map !== undefined && { map: nameList(map) }),
    ...(types !== undefined && { types: readTypes(types) }),
    ...(Number.isSafeInteger(length) && { bytesTotal: length }),
  }
}

function formatOf(request: FastifyRequest): 'csv' | 'ndjson' {
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  const format = formats[mediaType]
  if (format !== undefined) return format
  throw new GatewayError(
    'media_type_unsupported',
    'send Content-Type: text/csv or application/x-ndjson, or ?format=csv or ndjson',
    {
      field: 'content-type',
    },
  )
}

function encodingOf(request: FastifyRequest): ImportSpec['encoding'] {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === 'gzip' || encoding === 'zstd') return encoding
  throw new GatewayError('encoding_unsupported', `an upload is identity, gzip or zstd, not ${encoding}`, {
    field: 'content-encoding',
  })
}

function readTypes(text: string): Record<string, ColumnType> {
  const pairs = nameList(text).map((pair) => {
    const colon = pair.lastIndexOf(':')
    const type = columnTypes.find((candidate) => candidate === pair.slice(colon + 1))
    if (colon < 1 || type === undefined) {
      throw new GatewayError('field_invalid', `types is column:type pairs, type one of ${columnTypes.join(', ')}`, {
        field: 'types',
      })
    }
    return [pair.slice(0, colon), type] as const
  })
  return Object.fromEntries(pairs)
}
