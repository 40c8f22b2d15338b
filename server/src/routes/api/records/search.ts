// Query and scan: a stream of NDJSON, CSV or MessagePack, a page of JSON, or the plan.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { aggregateOf, json, orderOf, whereOf } from '../../../bodies/rule.js'
import type { QuerySpec, RecordStream, ScanSpec } from '../../../engines/engine.js'
import { noteScans } from '../../../indexes/note-scans.js'
import { observe } from '../../../live/observe.js'
import { noteQueries } from '../../../queries/note.js'
import { attribute } from '../../../answers/attribute.js'
import { ExplainQuery, PLAN, sendPlan } from '../../../answers/plan.js'
import { CSV, LINES, PAGE_DEFAULT, SEQUENCE, wantsCsv, wantsLines, wantsSequence } from '../../../answers/preferred.js'
import { objectEnd, sendGroups, sendLines, sendObject, sendValues } from '../../../answers/record-stream.js'
import { choice, NamespaceName } from '../../../schemas/words.js'
import { records } from '../../../schemas/examples/search.js'
import { QueryPlan, ScanPlan } from '../../../schemas/records/plans.js'
import { Aggregated, Grouped, QueryRequest, Records, ScanRequest } from '../../../schemas/records/search.js'
import { valuesFor } from '../../../schemas/records/values.js'

const params = Type.Object({ ns: NamespaceName })
const queryExplain = Type.Object(
  {
    explain: Type.Optional(
      choice(['true', 'false', 'analyze'], {
        description:
          'Like `explain` in the body. `true`: answer the plan and read no records. `analyze`: run the query, and answer what each step did. Default: `false`.',
        examples: ['true'],
      }),
    ),
  },
  { additionalProperties: false },
)
const produces = ['application/json', LINES, SEQUENCE] as const

const answer = (plan: typeof QueryPlan | typeof ScanPlan, forms: object = {}) => ({
  200: {
    description: 'Records, aggregates, groups or the plan, as asked for.',
    content: {
      'application/json': { schema: Type.Union([Records, Aggregated, Grouped, plan], { examples: [records] }) },
      [LINES]: {
        schema: Type.String({
          description: 'One record, row or group per line.',
          examples: [`${JSON.stringify(records.records[0])}\n`],
        }),
      },
      [SEQUENCE]: { schema: valuesFor('record, row or group') },
      ...forms,
    },
  },
})

const asFiles = {
  [CSV]: {
    schema: Type.String({
      description:
        'RFC 4180 under a line of names: the key and the bins of each record or row, or each group with its figures. ' +
        'Without `select`, the columns are the bins found in the first 256 KiB.',
      examples: ['key,name\nada,Ada\n'],
    }),
  },
}

/** The core parses what may have numbers beyond 2^53. */
const body = json({ raw: ['where', 'aggregate', 'route', 'order', 'unnest', 'group', 'expr'] })

export function searchRoutes(app: App): void {
  const note = noteQueries(app)
  const noteScan = noteScans(app)

  app.post(
    '/namespaces/:ns/query',
    {
      onResponse: observe('query'),
      config: { body, produces: [...produces, CSV], packed: true },
      schema: {
        operationId: 'query',
        tags: ['query'],
        summary: 'Query records',
        description:
          'Finds the records that match a filter, by the cheapest index or scan, and answers them, aggregates, ' +
          'groups or the plan. `Accept` chooses JSON, NDJSON, CSV or values of MessagePack; a page of JSON has 1,000 records by ' +
          'default. It covers the segments this node is the primary owner of. A filter without an index reads ' +
          'every record of the set.',
        params,
        querystring: queryExplain,
        body: QueryRequest,
        response: answer(QueryPlan, asFiles),
      },
    },
    async (request, reply) => {
      const { ns } = request.params
      const {
        explain = request.query.explain,
        where,
        aggregate,
        group,
        route,
        order,
        select,
        unnest,
        ...rest
      } = request.body
      const spec: QuerySpec = {
        ...rest,
        ...whereOf(where),
        ...aggregateOf(aggregate),
        ...(Buffer.isBuffer(group) && { group }),
        ...routeOf(route),
        ...orderOf(order),
        ...rowsOf(select, unnest),
        ...pageLimit(request, request.body),
        ...(wantsCsv(request) && { shape: 'csv' as const }),
        ...(wantsSequence(request) && { shape: 'values' as const }),
      }
      if (explain === 'analyze') {
        const analysis = await app.streams.open(reply, () => request.engine.analyzeQuery(ns, spec))
        return sendAnalysis(request, reply, analysis)
      }
      if (explain === true || explain === 'true') return sendPlan(reply, await request.engine.explainQuery(ns, spec))
      const stream = await app.streams.open(reply, () => request.engine.query(ns, spec))
      note(request, stream)
      noteScan(request, stream)
      return send(request, reply, stream, spec)
    },
  )

  app.post(
    '/namespaces/:ns/scan',
    {
      onResponse: observe('scan'),
      config: { body, produces, packed: true },
      schema: {
        operationId: 'scan',
        tags: ['scan'],
        summary: 'Scan records',
        description:
          'Reads all records of a namespace or set in parallel. `Accept` chooses a page of JSON, or a stream of ' +
          'NDJSON or values of MessagePack. It covers the segments this node is the primary owner of. Use `threads` and ' +
          '`recordsPerSecond` to limit its load.',
        params,
        querystring: ExplainQuery,
        body: ScanRequest,
        response: answer(ScanPlan),
      },
    },
    async (request, reply) => {
      const { ns } = request.params
      const { explain = request.query.explain, where, aggregate, ...rest } = request.body
      const spec: ScanSpec = {
        threads: app.config.defaultThreads,
        ...rest,
        shape: 'record',
        ...whereOf(where),
        ...aggregateOf(aggregate),
      }
      if (explain === true) return reply.send(await request.engine.explainScan(ns, spec))
      const paged = { ...spec, ...pageLimit(request, request.body) }
      const stream = await app.streams.open(reply, () => request.engine.scan(ns, paged))
      noteScan(request, stream)
      return send(request, reply, stream, spec)
    },
  )
}

/** As written, like `where`. */
const routeOf = (route: unknown) => (Buffer.isBuffer(route) ? { route: route.toString().trim() } : {})

/** Anything but plain bin names goes to the core as JSON. */
const rowsOf = (select: QueryRequest['select'], unnest: unknown): Pick<QuerySpec, 'select' | 'unnest'> => ({
  ...(select !== undefined && { select: isNames(select) ? select : Buffer.from(`[${select.map(columnJson).join()}]`) }),
  ...(Buffer.isBuffer(unnest) && { unnest }),
})

/** An expression stays as written. */
function columnJson(column: NonNullable<QueryRequest['select']>[number]): string {
  if (typeof column === 'string' || !('expr' in column)) return JSON.stringify(column)
  const { expr, ...rest } = column
  const others = JSON.stringify(rest).slice(1)
  return `{"expr":${String(expr)}${others === '}' ? '' : ','}${others}`
}

const isNames = (select: NonNullable<QueryRequest['select']>): select is string[] =>
  select.every((column) => typeof column === 'string')

/** If the client disconnects, the analysis stops. */
const sendAnalysis = (request: FastifyRequest, reply: FastifyReply, stream: RecordStream) => {
  attribute(request, stream.jobId)
  return sendLines(reply, stream, PLAN)
}

/** A page has a limit even if the caller set none. An answer that is limited by itself, or unordered, is not a page. */
const pageLimit = (request: FastifyRequest, body: QueryRequest | ScanRequest) => {
  const { limit, sample, aggregate } = body
  const byBlock = 'plan' in body && body.plan === 'device'
  const grouped = 'group' in body && body.group !== undefined
  const bounded = limit !== undefined || grouped || sample?.first !== undefined || aggregate !== undefined || byBlock
  // Only NDJSON has a place for marks; the core refuses them for a page.
  const marked = 'segmentMarks' in body && body.segmentMarks === true
  return (bounded && !marked) || wantsLines(request) || wantsCsv(request) || wantsSequence(request)
    ? {}
    : { limit: limit ?? PAGE_DEFAULT }
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  stream: RecordStream,
  spec: QuerySpec | ScanSpec,
): Promise<void> {
  attribute(request, stream.jobId)
  const end = objectEnd(stream)
  if ('shape' in spec && spec.shape === 'csv') return sendLines(reply, stream, 'text/csv; charset=utf-8')
  if ('shape' in spec && spec.shape === 'values') return sendLines(reply, stream, SEQUENCE)
  if (wantsSequence(request)) return sendValues(reply, stream)
  if ('group' in spec && !wantsLines(request)) return sendGroups(reply, stream)
  // Figures are one object, in any format.
  if (spec.aggregate !== undefined && !('group' in spec)) return sendObject(reply, stream, '{"aggregate":', end)
  if (wantsLines(request)) return sendLines(reply, stream)
  return sendObject(reply, stream, '{"records":[', () => `]${end()}`)
}
