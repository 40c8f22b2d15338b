// /v1/query: records by a secondary index, or all of them, in ranges of partitions and in pages by token.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { App } from '../../app-types.js'
import type { QuerySpec } from '../../engines/engine.js'
import { GatewayError } from '../../errors.js'
import { observe } from '../../live/observe.js'
import { attribute } from '../../answers/attribute.js'
import { CompatibleQuery, CompatibleScan } from '../../schemas/v1.js'
import { pathOf, queryDocuments } from './wire/documents.js'
import { usableIndex } from './indexes.js'
import { binNames, boolean, filterPolicy, first, long, type Query } from './wire/policies.js'
import { join } from './filters/filter-tests.js'
import { sendRows } from './wire/rows.js'
import { answerWire, bodyWire, frame, scalar, shapeOf } from './wire/wire.js'

const PARTITIONS = 4096
/** Default number of records in an answer. */
const RECORDS_DEFAULT = 10_000
/** Filter values that may be 64-bit integers. */
const RAW = ['value', 'begin', 'end']

const later = ['GEO_WITHIN_REGION', 'GEO_WITHIN_RADIUS', 'GEO_CONTAINS_POINT']
const fields: Readonly<Record<string, readonly string[]>> = {
  EQUALS_STRING: ['value'],
  EQUALS_LONG: ['value'],
  CONTAINS_STRING: ['value'],
  CONTAINS_LONG: ['value'],
  RANGE: ['begin', 'end'],
}
/** Types of collections, and the members that each tests. */
const members: Readonly<Record<string, string | undefined>> = {
  DEFAULT: undefined,
  LIST: 'items',
  MAPKEYS: 'keys',
  MAPVALUES: 'values',
}

interface Address {
  ns: string
  set?: string
  begin?: string
  count?: string
}

type Body = Static<typeof CompatibleQuery>

export function compatibleQueryRoutes(app: App): void {
  for (const { url, suffix, words } of [
    { url: '/query/:ns', suffix: 'Namespace', words: 'a namespace' },
    { url: '/query/:ns/:set', suffix: 'Set', words: 'a set' },
    { url: '/query/:ns/:begin/:count', suffix: 'Partitions', words: 'partitions of a namespace' },
    { url: '/query/:ns/:set/:begin/:count', suffix: 'SetPartitions', words: 'partitions of a set' },
  ]) {
    app.post(
      url,
      {
        onResponse: observe('query'),
        config: { body: frame({ raw: RAW }), documents: { params: pathOf(url), ...queryDocuments } },
        schema: {
          operationId: `compatibleQuery${suffix}`,
          tags: ['v1'],
          summary: `Query ${words}`,
          description:
            'Answers the records that pass the filter, as one page. A filter on a bin without a secondary index is refused. Filters on collections need no index and then read every record.',
          body: CompatibleQuery,
          response: { 200: CompatibleScan },
        },
      },
      (request, reply) => query(request, reply, request.params as Address, request.body),
    )
  }
}

async function query(request: FastifyRequest, reply: FastifyReply, address: Address, body: Body) {
  const { ns, set } = address
  const policies = request.query as Query
  const limit = first(policies, 'maxRecords') === undefined ? RECORDS_DEFAULT : long(policies, 'maxRecords')
  const filter = body.filter === undefined ? undefined : comparison(body.filter, bodyWire(request))
  if (filter?.indexed === true) await usableIndex(request.engine, ns, set, filter.bin, first(policies, 'indexName'))
  const bins = boolean(policies, 'includeBinData', true) ? binNames(policies) : []
  const cursor = body.from?.replaceAll(' ', '+')
  const spec: QuerySpec = {
    threads: 1,
    shape: shapeOf(answerWire(request)),
    ...partitions(address),
    ...both(filter?.where, filterPolicy(policies).where),
    ...(set !== undefined && { set }),
    ...(bins !== undefined && { select: bins }),
    ...(limit !== undefined && { limit }),
    ...(cursor !== undefined && { cursor }),
  }
  const stream = await request.server.streams.open(reply, () => request.engine.query(ns, spec))
  attribute(request, stream.jobId)
  return sendRows(request, reply, stream, boolean(policies, 'getToken', false))
}

function partitions({ begin, count }: Address): Pick<QuerySpec, 'partitionBegin' | 'partitionCount'> {
  if (begin === undefined || count === undefined) return {}
  const [partitionBegin, partitionCount] = [Number(begin), Number(count)]
  const whole = /^\d{1,4}$/.test(begin) && /^\d{1,4}$/.test(count)
  if (!whole || partitionCount === 0 || partitionBegin + partitionCount > PARTITIONS)
    throw new GatewayError('field_invalid', `Invalid partition range: ${begin}, ${count}`, { field: 'begin' })
  return { partitionBegin, partitionCount }
}

interface Asked {
  bin: string
  where: string
  /** Whether the bin must have an index. */
  indexed: boolean
}

/** Translates a filter for the core. */
function comparison(filter: Record<string, unknown>, wire: 'json' | 'msgpack'): Asked {
  const { type, binName, collectionType = 'DEFAULT', ctx, ...values } = filter
  const unsupported = (what: string) => new GatewayError('unsupported', `${what} is not supported`, { field: 'filter' })
  if (typeof type !== 'string') throw invalid('The filter needs type, a string')
  if (later.includes(type)) throw unsupported(type)
  const names = Object.hasOwn(fields, type) ? fields[type] : undefined
  if (names === undefined) throw invalid(`Invalid filter type: ${type}`)
  if (typeof binName !== 'string' || binName === '') throw invalid('The filter needs binName, a string')
  if (typeof collectionType !== 'string') throw invalid('collectionType must be a string')
  if (!Object.hasOwn(members, collectionType)) throw invalid(`Invalid collectionType: ${collectionType}`)
  if (ctx !== undefined && ctx !== null) throw unsupported('ctx')
  const unknown = Object.keys(values).find((name) => !names.includes(name))
  if (unknown !== undefined) throw invalid(`${unknown} is not a field of the filter`)
  const given = names.map((name) => operand(values[name], name, type.endsWith('_STRING'), wire))
  const [op, value] = type === 'RANGE' ? ['between', `[${given.join(',')}]`] : ['eq', given.join('')]
  const test = (more: string, op: string, value: string) =>
    `{"bin":${JSON.stringify(binName)},${more}"op":"${op}","value":${value}}`
  const asked = members[collectionType]
  if (asked === undefined) return { bin: binName, where: test('', op, value), indexed: true }
  const each = test(`"any":"${asked}",`, op, value)
  // A document index covers the items of a list.
  const where = asked === 'items' && op === 'eq' ? join('and', [test('', 'contains', `[${value}]`), each]) : each
  return { bin: binName, where, indexed: false }
}

function operand(raw: unknown, name: string, text: boolean, wire: 'json' | 'msgpack'): string {
  const value = Buffer.isBuffer(raw) ? scalar(raw, wire) : undefined
  if (text && typeof value === 'string') return JSON.stringify(value)
  if (!text && typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value.toString()
  throw invalid(`${name} of the filter must be ${text ? 'a string' : 'a 64-bit integer'}`)
}

/** Joins the filters: a record must pass all of them. */
function both(first: string | undefined, second: Buffer | undefined): { where?: Buffer } {
  const all = [first, second?.toString()].filter((where) => where !== undefined)
  if (all.length === 0) return {}
  return { where: Buffer.from(all.length === 1 ? all.join('') : join('and', all)) }
}

const invalid = (message: string) => new GatewayError('field_invalid', message, { field: 'filter' })
