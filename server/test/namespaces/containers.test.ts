// Both containers of memory namespaces answer alike; and nodes that share the segments share the records.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Segment } from '../../src/schemas/namespaces/namespaces.js'
import { useGateway } from '../gateway.js'

interface Row {
  key: string
  bins: Record<string, unknown>
}
interface Page<T> {
  records: T[]
  summary: { cursor?: string }
}

const RECORDS = 300
const SEGMENTS = 16
const json = { 'content-type': 'application/json' }
const keysOf = (rows: Row[]): string[] => rows.map(({ key }) => key).toSorted()

describe.each(['segmented', 'flat'])('a %s container', (container) => {
  const gateway = useGateway()
  const ns = '/api/v1/namespaces/all'
  const scan = async (body: object): Promise<Row[]> =>
    (await gateway().ok<Page<Row>>(`POST ${ns}/scan`, { body })).records
  const size = async (set?: string): Promise<number> =>
    (await gateway().ok<{ records: number }>(`GET ${ns}/size${set === undefined ? '' : `?set=${set}`}`)).records
  const segments = async (): Promise<Segment[]> =>
    (await gateway().ok<{ items: Segment[] }>(`GET ${ns}/segments`)).items

  beforeAll(async () => {
    const { ok } = gateway()
    const body = { name: 'all', storage: { engine: 'memory' }, segments: SEGMENTS, container }
    expect(await ok('POST /api/v1/namespaces', { body })).toMatchObject({ config: { container, segments: SEGMENTS } })
    const lines = Array.from({ length: RECORDS }, (_, n) =>
      JSON.stringify({ op: 'put', key: `k${n}`, bins: { n, odd: n % 2 === 1, doc: { tags: [`t${n % 10}`] } } }),
    )
    await ok(`POST ${ns}/sets/things/records`, {
      body: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
  })

  test('has every record, by key, by set index, by document index and by scan', async () => {
    const { ok } = gateway()
    expect(await ok(`GET ${ns}/sets/things/records/k17`)).toMatchObject({ bins: { n: 17 } })
    expect([await size(), await size('things'), await size('none')]).toEqual([RECORDS, RECORDS, 0])
    await ok(`PATCH ${ns}/sets/things?wait=30s`, { body: { index: true } })
    await ok(`POST ${ns}/indexes?wait=30s`, { body: { name: 'docs', set: 'things', bin: 'doc', kind: 'document' } })
    const all = keysOf(await scan({ set: 'things', threads: 4, useIndex: 'force' }))
    expect(all).toEqual(keysOf(await scan({ threads: 3 })))
    expect(all).toHaveLength(RECORDS)
    const where = { bin: 'doc', op: 'contains', value: { tags: ['t3'] } }
    const { records } = await ok<Page<Row>>(`POST ${ns}/query`, { body: { set: 'things', where, useIndex: 'docs' } })
    expect(records).toHaveLength(RECORDS / 10)
  })

  test('is read segment by segment, each record once', async () => {
    const listed = await segments()
    expect(listed.map(({ segment }) => segment)).toEqual([...Array(SEGMENTS).keys()])
    const keys: string[] = []
    for (const { segment, records, liveBytes, primary, owners } of listed) {
      const own = await scan({ segments: [segment], bins: [] })
      expect(own).toHaveLength(records)
      expect({ primary, owners, stored: liveBytes > 0 }).toEqual({
        primary: true,
        owners: undefined,
        stored: records > 0,
      })
      keys.push(...keysOf(own))
    }
    expect(keys.toSorted()).toEqual(keysOf(await scan({})))
    const pair = await scan({ segments: [3, 5], set: 'things' })
    expect(pair).toHaveLength((listed[3]?.records ?? 0) + (listed[5]?.records ?? 0))
  })

  test('tells which segments are read and written', async () => {
    const sum = (all: Segment[]) => [
      all.reduce((n, { reads }) => n + reads, 0),
      all.reduce((n, { writes }) => n + writes, 0),
    ]
    const [reads = 0, writes = 0] = sum(await segments())
    await gateway().ok(`GET ${ns}/sets/things/records/k1`)
    await gateway().put('all/sets/things/records/k1', { n: 1, odd: true, doc: { tags: ['t1'] } })
    expect(sum(await segments())).toEqual([reads + 1, writes + 1])
  })

  test('takes of all entries those of the segments that it owns', async () => {
    const { ok, send } = gateway()
    const keys: string[] = []
    for (const self of [0, 1, 2, 3]) {
      const ownership = { nodes: 4, owners: 2, self }
      expect(await ok(`PATCH ${ns}`, { body: { ownership } })).toMatchObject({
        config: { ownership },
        records: RECORDS,
      })
      const listed = await segments()
      expect(listed.every(({ owners = [], primary }) => owners.length === 2 && primary === (owners[0] === self))).toBe(
        true,
      )
      const held = listed.filter(({ primary }) => primary).reduce((n, { records }) => n + records, 0)
      const own = keysOf(await scan({ threads: 2 }))
      const where = { bin: 'n', op: 'ge', value: 0 }
      const { records } = await ok<Page<Row>>(`POST ${ns}/query`, { body: { set: 'things', where } })
      const lines = (await send(`GET ${ns}/export?format=ndjson`)).text.trim().split('\n')
      const { aggregate } = await ok<{ aggregate: { n: { value: number } } }>(`POST ${ns}/scan`, {
        body: { aggregate: { n: { op: 'count' } } },
      })
      const { count } = await ok<{ count: number }>(`POST ${ns}/stream`, { body: { steps: [{ count: true }] } })
      const job = await ok<{ result: { records: number } }>('POST /api/v1/jobs?wait=30s', {
        body: { kind: 'count', namespace: 'all', set: 'things' },
      })
      const all = [await size(), await size('things'), own.length, records.length, lines.length, aggregate.n.value]
      expect([...all, count, job.result.records]).toEqual(Array(8).fill(held))
      keys.push(...own)
    }
    // A record is read by its key whoever owns it.
    expect(await ok(`GET ${ns}/sets/things/records/k17`)).toMatchObject({ bins: { n: 17 } })
    await ok(`PATCH ${ns}`, { body: { ownership: null } })
    expect(keys.toSorted()).toEqual(keysOf(await scan({})))
    const { config } = await ok<{ config: object }>(`GET ${ns}`)
    expect(config).not.toHaveProperty('ownership')
  })

  test('forgets what is deleted, and all of it', async () => {
    const { ok } = gateway()
    await ok(`DELETE ${ns}/sets/things/records/k5`)
    expect(await size()).toBe(RECORDS - 1)
    await ok('POST /api/v1/jobs?wait=30s', { body: { kind: 'truncate', namespace: 'all' } })
    expect([await size(), (await scan({})).length]).toEqual([0, 0])
  })
})

describe('what cannot be', () => {
  const gateway = useGateway()
  const refused = async (line: string, body: object) => {
    const answer = await gateway().send(line, { body: JSON.stringify(body), headers: json })
    const { code, field } = answer.json<{ code: string; field?: string }>()
    return [answer.status, code, field]
  }

  test('is refused by its field', async () => {
    await gateway().ok('POST /api/v1/namespaces', {
      body: { name: 'flat', storage: { engine: 'memory' }, container: 'flat', segments: 16 },
    })
    const create = 'POST /api/v1/namespaces'
    const paged = { name: 'a', storage: { engine: 'paged' }, container: 'flat' }
    expect(await refused(create, paged)).toEqual([400, 'config_invalid', 'container'])
    const ownership = (nodes: number, owners: number, self: number) => ({ ownership: { nodes, owners, self } })
    const patch = 'PATCH /api/v1/namespaces/flat'
    expect(await refused(patch, ownership(4, 2, 4))).toEqual([400, 'config_invalid', 'ownership.self'])
    expect(await refused(patch, ownership(2, 3, 0))).toEqual([400, 'config_invalid', 'ownership.owners'])
    const scan = 'POST /api/v1/namespaces/flat/scan'
    expect(await refused(scan, { segments: [16] })).toEqual([400, 'config_invalid', 'segments'])
    const sets = 'POST /api/v1/namespaces/flat/sets'
    expect(await refused(sets, { name: 'placed', distributionBin: 'home' })).toEqual([
      501,
      'unsupported',
      'distributionBin',
    ])
  })
})
