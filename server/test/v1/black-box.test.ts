// The compatible API from outside: cases in JSON and in MessagePack, with a set and without, over HTTP.
import { beforeAll, describe, expect, test } from 'vitest'
import { unpack } from '../../src/msgpack/decode.js'
import { encode } from '../../src/msgpack/encode.js'
import { batch } from './black-box/batch.js'
import { type Case, type Run, seed } from './black-box/case.js'
import { kvs } from './black-box/kvs.js'
import { operate } from './black-box/operate.js'
import { rows } from './black-box/rows.js'
import { bearer, useGateway } from '../gateway.js'
import { isLong } from '../long.js'

const areas: [area: string, cases: Case[]][] = [
  ['kvs', kvs],
  ['operate', operate],
  ['batch', batch],
  ['rows', rows],
]
const runs: Omit<Run, 'key'>[] = [
  { wire: 'json', set: 's' },
  { wire: 'json', set: '' },
  { wire: 'msgpack', set: 's' },
  { wire: 'msgpack', set: '' },
]
/** Each case in both forms, once with a set and once without. `npm run test:long` sends it in all four ways. */
const runsCase = (at: number, wire: Run['wire'], set: string): boolean =>
  isLong || process.env['CONTRACT_STORAGE'] !== undefined || ((wire === 'json') === (set === '')) === (at % 2 === 0)
const RECORDS = 25
const gateway = useGateway()
let address = ''
let node = ''

beforeAll(async () => {
  const { app, ok } = gateway()
  address = await app.listen({ port: 0, host: '127.0.0.1' })
  await gateway().newNamespace('test')
  for (const [name, set] of [
    ['data', 's'],
    ['bare', ''],
  ] as const) {
    await gateway().newNamespace(name)
    for (let n = 0; n < RECORDS; n += 1) {
      const path = set === '' ? `/v1/kvs/${name}/k${n}` : `/v1/kvs/${name}/${set}/k${n}`
      await ok(`POST ${path}`, { body: { n, t: `t${n % 5}`, l: [n % 3, `i${n % 5}`], m: { [`k${n % 4}`]: n } } })
    }
    for (const bin of ['n', 't']) {
      const spec = { name: `${bin}-${name}`, bin, kind: 'range', ...(set !== '' && { set }) }
      await ok(`POST /api/v1/namespaces/${name}/indexes?wait=30s`, { body: spec })
    }
  }
  node = (await ok<{ nodes: { name: string }[] }>('GET /v1/cluster')).nodes[0]?.name ?? ''
})

/** Big integers as text: neither JSON.parse nor a comparison has a way to say them. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}`
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
}

function decode(bytes: Buffer, type: string | undefined): unknown {
  if (bytes.length === 0) return undefined
  if (type === 'application/msgpack') return plain(unpack(bytes))
  return JSON.parse(bytes.toString().replaceAll(/(?<=[:[,])-?\d{16,}(?=[,\]}])/g, '"$&"'))
}

/** Fills in what stands for a route, a key or a set. */
function fill(text: string, { set, key }: Run): string {
  const of = (ns: string) => (set === '' ? ns : `${ns}/${set}`)
  const data = set === '' ? 'bare' : 'data'
  return text
    .replace('$kv', `/v1/kvs/${of('test')}/${key}`)
    .replace('$op2', `/v2/operate/${of('test')}/${key}`)
    .replace('$op', `/v1/operate/${of('test')}/${key}`)
    .replace('$read2', `/v2/operate/read/${of('test')}`)
    .replace('$read', `/v1/operate/read/${of('test')}`)
    .replace('$scan', `/v1/scan/${of(data)}`)
    .replace('$query', `/v1/query/${of(data)}`)
    .replaceAll('$data', data)
    .replaceAll('$node', node)
    .replaceAll('$key', key)
    .replaceAll('$set', set)
}

function filled(value: unknown, as: Run): unknown {
  if (typeof value === 'string') return fill(value, as)
  if (Array.isArray(value)) return value.map((item) => filled(item, as))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, as)]))
}

async function send(as: Run, line: string, body?: unknown, headers: Record<string, string> = {}) {
  const [method = '', path = ''] = fill(line, as).split(' ')
  const type = `application/${as.wire}`
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { ...bearer, accept: type, ...(body !== undefined && { 'content-type': type }), ...headers },
    ...(body !== undefined && { body: body === '' ? '' : new Uint8Array(encode(as.wire, filled(body, as))) }),
  })
  const contentType = response.headers.get('content-type')?.split(';')[0]
  const value = decode(Buffer.from(await response.arrayBuffer()), contentType)
  return { status: response.status, contentType, value }
}

/** Bins as text, whatever their order: nothing may be missing, and nothing too much. */
const canon = (bins: object): string => JSON.stringify(Object.entries(bins).sort(([a], [b]) => (a < b ? -1 : 1)))

/** What is to be seen of a case. */
async function run(of: Case, as: Run) {
  const made = of.seed === null ? undefined : await send(as, 'POST $kv', of.seed ?? seed)
  const { status, contentType, value } = await send(as, of.call, of.body, of.headers)
  const { message, inDoubt, internalErrorCode = null } = (value ?? {}) as Record<string, unknown>
  const left = of.after === undefined ? undefined : await send(as, 'GET $kv')
  return {
    seeded: made?.status ?? 201,
    status,
    contentType,
    error: { said: typeof message === 'string' && message !== '', inDoubt, internalErrorCode },
    answer: value,
    left: left?.status,
    after: left?.status === 200 ? canon((left.value as { bins: object }).bins) : null,
  }
}

function expected(of: Case, as: Run): object {
  const empty = of.status === 201 || of.status === 204 || of.call.startsWith('HEAD')
  const type = of.headers?.['accept'] === undefined ? `application/${as.wire}` : 'application/json'
  return {
    seeded: 201,
    status: of.status,
    ...(!empty && { contentType: type }),
    ...(of.code !== undefined && { error: { said: true, inDoubt: false, internalErrorCode: of.code } }),
    ...(of.answer !== undefined && { answer: plain(filled(of.answer, as)) }),
    ...(of.after !== undefined && { left: of.after === null ? 404 : 200 }),
    ...(of.after !== undefined && { after: of.after === null ? null : canon(plain(of.after) as object) }),
  }
}

test('there are at least 110 cases', () => {
  expect(areas.flatMap(([, cases]) => cases).length).toBeGreaterThanOrEqual(110)
})

describe.each(areas)('%s', (area, cases) => {
  describe.each(runs)('$wire, set "$set"', ({ wire, set }) => {
    test.each(cases.flatMap((of, at) => (runsCase(at, wire, set) ? [[of.name, of, at] as const] : [])))(
      '%s',
      async (_name, of, at) => {
        const as = { wire, set, key: `${area}-${at}-${wire}` }
        expect(await run(of, as)).toMatchObject(expected(of, as))
      },
    )
  })
})
