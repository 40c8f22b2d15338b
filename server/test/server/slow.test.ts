// Slow operations: what is kept, how it is asked for, and what is not kept.
import { beforeEach, describe, expect, test } from 'vitest'
import type { SlowGroup, SlowOperation, SlowOperations, SlowSettings } from '../../src/schemas/server/slow.js'
import { useGateway } from '../gateway.js'

const gateway = useGateway()
const list = (query = ''): Promise<SlowOperations> => gateway().ok<SlowOperations>(`GET /api/v1/slow?${query}`)
const change = (patch: object): Promise<SlowSettings> =>
  gateway().ok<SlowSettings>('PATCH /api/v1/slow/settings', { body: patch })

/** A scan at so many records a second takes long whatever the machine. */
async function slowScan(set: string, where?: object): Promise<void> {
  const body = { set, threads: 1, recordsPerSecond: 40, ...(where !== undefined && { where }) }
  await gateway().send('POST /api/v1/namespaces/shop/scan', { body })
}

beforeEach(async () => {
  if ((await gateway().send('GET /api/v1/namespaces/shop')).status === 404) {
    await gateway().memoryNamespace('shop')
    for (let n = 0; n < 12; n++) await gateway().put(`shop/sets/users/records/u${n}`, { n })
  }
  await change({ thresholdMs: 50, keepKeys: true })
  await gateway().ok('DELETE /api/v1/slow')
})

describe('slow operations', () => {
  test('have a split that adds up, a plan and a job', async () => {
    await slowScan('users', { bin: 'n', op: 'ge', value: 3 })
    const { items, truncated } = await list('op=scan&namespace=shop')
    expect(truncated).toBe(false)
    const [scan] = items as [SlowOperation]
    expect(scan).toMatchObject({
      set: 'users',
      outcome: 'ok',
      filter: 'n >= 3',
      filterShape: 'n >= ?',
      threads: 1,
      records: 12,
    })
    const sum = Object.values(scan.split).reduce((total, part) => total + part, 0)
    expect(Math.abs(sum - scan.durationMs)).toBeLessThanOrEqual(scan.durationMs * 0.05)
    // It waited because of its rate.
    expect(scan.split.queueMs).toBeGreaterThan(scan.split.indexMs)
    expect(await gateway().ok(`GET /api/v1/jobs/${scan.jobId}`)).toMatchObject({ kind: 'scan' })
  })

  test('are filtered, ordered and limited', async () => {
    await slowScan('users')
    await slowScan('users')
    // The slowest batches are kept from 0.1 ms on.
    const body = Array.from({ length: 5000 }, (_, n) => `{"key":${n},"bins":{"n":${n}}}\n`).join('')
    const headers = { 'content-type': 'application/x-ndjson' }
    await gateway().ok('POST /api/v1/namespaces/shop/sets/many/records', { body, headers })
    const all = (await list('op=scan')).items
    expect(all).toHaveLength(2)
    expect(all.map(({ id }) => id)).toEqual([...all].map(({ id }) => id).sort((a, b) => b - a))
    const slowest = (await list('op=scan&sort=slowest&limit=1')) as SlowOperations
    expect(slowest).toMatchObject({ limit: 1, truncated: true })
    expect(slowest.items[0]?.durationMs).toBe(Math.max(...all.map(({ durationMs }) => durationMs)))
    expect((await list('namespace=other')).items).toEqual([])
    const of = async (op: string) => [...new Set((await list(`op=${op}`)).items.map((item) => item.op))].sort()
    expect(await of('batch,get')).toEqual(['batch'])
    expect(await of('batch,scan')).toEqual(['batch', 'scan'])
    expect(await of('put,update,delete')).toEqual([])
    // The limit counts those that were asked for.
    expect((await list('op=scan,get&limit=2')).items.map((item) => item.op)).toEqual(['scan', 'scan'])
    expect((await list('set=other')).items).toEqual([])
    expect((await list('op=scan&minMs=3600000')).items).toEqual([])
    const [first, second] = all.map(({ durationMs }) => durationMs).sort((a, b) => a - b) as [number, number]
    const between = `op=scan&minMs=${first}&belowMs=${second}`
    expect((await list(between)).items.map(({ durationMs }) => durationMs)).toEqual([first])
    const [early, late] = all.map(({ engineMs }) => engineMs).sort((a, b) => a - b) as [number, number]
    const inEngine = await list(`op=scan&minEngineMs=${early}&belowEngineMs=${late}`)
    expect(inEngine.items.map(({ engineMs }) => engineMs)).toEqual([early])
    expect(all.every(({ engineMs, durationMs }) => 0 < engineMs && engineMs <= durationMs)).toBe(true)
    expect((await list(`since=${new Date(Date.now() + 60_000).toISOString()}`)).items).toEqual([])
    expect((await list(`op=scan&until=${new Date(Date.now() + 60_000).toISOString()}`)).items).toHaveLength(2)
  })

  test('of one shape are a group', async () => {
    await slowScan('users', { bin: 'n', op: 'ge', value: 1 })
    await slowScan('users', { bin: 'n', op: 'ge', value: 2 })
    const { items, groups } = await list('group=shape&op=scan')
    expect(items).toEqual([])
    const [group] = groups as [SlowGroup]
    expect(groups).toHaveLength(1)
    expect(group).toMatchObject({
      op: 'scan',
      namespace: 'shop',
      set: 'users',
      filterShape: 'n >= ?',
      count: 2,
      failed: 0,
    })
    const sum = Object.values(group.split).reduce((total, part) => total + part, 0)
    expect(Math.abs(sum - group.totalMs)).toBeLessThanOrEqual(group.totalMs * 0.05)
  })

  test('lose keys and values at once when these are not kept', async () => {
    await slowScan('users', { bin: 'n', op: 'eq', value: 'secret' })
    expect(JSON.stringify(await list('op=scan'))).toContain('secret')
    expect((await change({ keepKeys: false })).keepKeys).toBe(false)
    await slowScan('users', { bin: 'n', op: 'eq', value: 'secret' })
    const { items } = await list('op=scan')
    expect(items.map(({ filterShape }) => filterShape)).toEqual(['n = ?', 'n = ?'])
    expect(JSON.stringify(items)).not.toContain('secret')
  })
})

describe('settings', () => {
  test('change live, one by one', async () => {
    expect(await change({ thresholdMs: 12.5 })).toMatchObject({ thresholdMs: 12.5, keepKeys: true, namespaces: {} })
    expect(await change({ namespaces: { shop: 20 } })).toMatchObject({ thresholdMs: 12.5, namespaces: { shop: 20 } })
    expect(await change({ namespaces: { shop: null } })).toMatchObject({ namespaces: {} })
    expect(await gateway().ok('GET /api/v1/slow/settings')).toMatchObject({ thresholdMs: 12.5, mostBytes: 2 ** 20 })
  })

  test('a namespace that is dropped takes its threshold along', async () => {
    await gateway().memoryNamespace('gone')
    await change({ namespaces: { gone: 20 } })
    await gateway().ok('DELETE /api/v1/namespaces/gone')
    expect(await gateway().ok('GET /api/v1/slow/settings')).toMatchObject({ namespaces: {} })
  })

  test('clearing removes what is kept and counts it', async () => {
    await slowScan('users')
    expect((await gateway().ok<SlowSettings>('GET /api/v1/slow/settings')).seen).toBeGreaterThan(0)
    const { removed } = await gateway().ok<{ removed: number }>('DELETE /api/v1/slow')
    expect(removed).toBeGreaterThan(0)
    expect(await gateway().ok('GET /api/v1/slow/settings')).toMatchObject({ kept: 0, bytes: 0, seen: 0 })
    expect((await list()).items).toEqual([])
  })
})
