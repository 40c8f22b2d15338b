// What the gateway adds to requests: the counts behind it, and that time in the engine is not in it.
import { describe, expect, test, vi } from 'vitest'
import type { Engine } from '../../src/engines/engine.js'
import { bothAdded, countAdded, histogramOf, noneAdded, quantileOf } from '../../src/live/added.js'
import { BUCKETS, bucketOf, lowerNs } from '../../src/live/buckets.js'
import type { About } from '../../src/schemas/server/about.js'
import { sloEdgesNs } from '../../src/schemas/server/metrics.js'
import { useGateway } from '../gateway.js'

/** Much longer than the gateway needs, and shorter than the last bucket. */
const STALL_NS = 20_000_000_000

describe('the counts', () => {
  test('each bucket begins at its edge, and what is longer than the last is overflow', () => {
    for (let bucket = 0; bucket < BUCKETS; bucket += 1)
      expect([bucketOf(lowerNs(bucket)), bucketOf(lowerNs(bucket + 1) - 1)]).toEqual([bucket, bucket])
    expect([bucketOf(0), bucketOf(lowerNs(BUCKETS)), bucketOf(1e15)]).toEqual([0, BUCKETS, BUCKETS])
  })

  test('have exact edges, and are those of all threads', () => {
    const [one, other] = [noneAdded(), noneAdded()]
    countAdded(one, 'get', 50_000)
    countAdded(one, 'put', 50_001)
    countAdded(other, 'batch', 1e15)
    countAdded(other, 'scan', 1)
    countAdded(other, 'get', -5)
    const { count, slo, overflow, sumNs, buckets } = histogramOf(bothAdded(one, other))
    expect([count, slo[0], slo[1], slo.at(-1), overflow]).toEqual([4, 2, 3, 3, 1])
    expect(sumNs).toBe(100_001 + 1e15)
    expect(buckets).toEqual([0, 1, bucketOf(50_000), 2])
  })

  test('have quantiles, spread evenly inside of a bucket', () => {
    const counts = noneAdded()
    expect(quantileOf(histogramOf(counts), 0.5)).toBeUndefined()
    for (let n = 0; n < 100; n += 1) countAdded(counts, 'get', n < 98 ? 1000 : 2 ** 20)
    const bucket = bucketOf(1000)
    const width = lowerNs(bucket + 1) - lowerNs(bucket)
    expect(quantileOf(histogramOf(counts), 0.5)).toBeCloseTo(lowerNs(bucket) + (50 / 98) * width)
    expect(quantileOf(histogramOf(counts), 0.99)).toBeCloseTo(2 ** 20 + 0.5 * 2 ** 16)
  })
})

describe('a server', () => {
  const gateway = useGateway()
  const about = () => gateway().ok<About>('GET /api/v1/about')

  /** The first one that has so many requests. An answer is counted behind its last byte, by a worker once a second. */
  const aboutOf = (requests: number) =>
    vi.waitFor(
      async () => {
        const now = await about()
        expect(now.added.count).toBe(requests)
        return now
      },
      { timeout: 30_000, interval: 20 },
    )

  test('says what it is', async () => {
    const { version, coreVersion, licence, start, added } = await about()
    expect([version, coreVersion, licence]).toEqual(['0.1.0', '0.1.0', 'Apache-2.0'])
    // Nobody has started it by the command.
    expect([start, added.count, added.p99Ms]).toEqual([undefined, 0, undefined])
  })

  test('tells the licence of each part', async () => {
    const { items } = await gateway().ok<{ items: { name: string; licence: string; source: string }[] }>(
      'GET /api/v1/licences',
    )
    expect(items.filter(({ licence }) => licence === '')).toEqual([])
    expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(['fastify', 'react', 'tokio']))
  })

  test('counts requests for records, and no others, and Prometheus has the same', async () => {
    const { ok, send, put } = gateway()
    await gateway().memoryNamespace('shop')
    await put.call(gateway(), 'shop/sets/s/records/1', { a: 1 })
    await send('GET /api/v1/namespaces/shop/sets/s/records/1')
    await send('GET /api/v1/namespaces/shop/sets/s/records/none')
    await ok('POST /api/v1/namespaces/shop/sets/s/read', { body: ['1'] })
    await send('POST /api/v1/namespaces/shop/scan', { body: { set: 's' } })
    const { added } = await aboutOf(4)
    expect(added.buckets.filter((_, i) => i % 2 === 1).reduce((sum, requests) => sum + requests, 0)).toBe(4)
    const { text } = await send('GET /metrics')
    const lines = [...text.matchAll(/^tessera_gateway_added_seconds_(\w+)(?:\{le="(.*)"\})? (\S+)$/gm)]
    expect(Object.fromEntries(lines.map(([, kind = '', le = '', value]) => [kind + le, Number(value)]))).toEqual({
      ...Object.fromEntries(sloEdgesNs.map((edge, i) => [`bucket${edge / 1e9}`, added.slo[i]])),
      'bucket+Inf': 4,
      count: 4,
      sum: added.sumNs / 1e9,
    })
  })

  test('a stall in the engine is not in it, whether the engine answers at once or later', async () => {
    const { app, send } = gateway()
    const { count, sumNs } = (await about()).added
    const engine = app.engine as Engine
    const real = engine.getRecord
    const now = performance.now.bind(performance)
    let stalledMs = 0
    // The clock is what shows a stall, so it moves and nobody waits.
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + stalledMs)
    for (const later of [false, true]) {
      engine.getRecord = (...given) => {
        stalledMs += STALL_NS / 1e6
        const answer = real(...given)
        return later ? Promise.resolve(answer) : answer
      }
      const { headers } = await send('GET /api/v1/namespaces/shop/sets/s/records/1')
      expect(Number(/core;dur=([\d.]+)/.exec(headers['server-timing'] ?? '')?.[1])).toBeGreaterThan(STALL_NS / 1e6 - 1)
    }
    engine.getRecord = real
    clock.mockRestore()
    const { added } = await aboutOf(count + 2)
    expect(added.sumNs - sumNs).toBeLessThan(STALL_NS)
  })
})
