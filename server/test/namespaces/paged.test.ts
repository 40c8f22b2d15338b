// The pages of a namespace: its report, the map of them, what other sizes would cost, compaction, and the keys that they bound.
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Job } from '../../src/schemas/jobs/jobs.js'
import type { Namespace } from '../../src/schemas/namespaces/namespaces.js'
import type { PageMap, PageSizes, PagesReport } from '../../src/schemas/namespaces/paged.js'
import type { MetricsFrame } from '../../src/schemas/server/metrics.js'
import { useGateway } from '../gateway.js'

const PAGE = 4096
const RING = 72 * 1024 * 1024
const RECORDS = 400
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

describe('the pages of a namespace', () => {
  const gateway = useGateway()
  const path = '/api/v1/namespaces/paged'
  const report = (): Promise<PagesReport> => gateway().ok<PagesReport>(`GET ${path}/pages`)

  beforeAll(async () => {
    const storage = { engine: 'paged', pageBytes: PAGE, cacheBytes: 2048 * PAGE, checkpointLogBytes: RING }
    await gateway().ok('POST /api/v1/namespaces', {
      body: { name: 'paged', storage, segments: 4, durability: 'relaxed' },
    })
    for (let key = 0; key < RECORDS; key += 1)
      await gateway().put(`paged/sets/s/records/${key}`, { text: 'x'.repeat(900) })
    for (let key = 0; key < RECORDS; key += 7) await gateway().ok(`GET ${path}/sets/s/records/${key}`)
  })

  test('a namespace tells how it is kept', async () => {
    const { config, capabilities } = await gateway().ok<Namespace>(`GET ${path}`)
    expect(config.storage).toMatchObject({
      engine: 'paged',
      pageBytes: PAGE,
      cacheBytes: 2048 * PAGE,
      checkpointLogBytes: RING,
      checkpointIntervalSeconds: 300,
      cachedIo: false,
    })
    expect(capabilities.durability).toEqual(['relaxed', 'commit'])
  })

  test('checkpoints come as often as was asked', async () => {
    const storage = {
      engine: 'paged',
      pageBytes: PAGE,
      cacheBytes: 2048 * PAGE,
      checkpointLogBytes: RING,
      checkpointIntervalSeconds: 1,
    }
    await gateway().ok('POST /api/v1/namespaces', { body: { name: 'often', storage, segments: 4 } })
    await gateway().put('often/sets/s/records/1', { text: 'x' })
    await vi.waitFor(
      async () => {
        const { checkpoints } = await gateway().ok<PagesReport>('GET /api/v1/namespaces/often/pages')
        expect(checkpoints.map(({ cause, whole }) => ({ cause, whole }))).toContainEqual({ cause: 'time', whole: true })
      },
      { timeout: 60_000, interval: 50 },
    )
    await gateway().ok('DELETE /api/v1/namespaces/often')
  })

  test('the report counts what cache, log and disks did', async () => {
    const { namespace, at, pageBytes, pages, freePages, cache, log, traffic } = await report()
    expect({ namespace, pageBytes }).toEqual({ namespace: 'paged', pageBytes: PAGE })
    expect(Date.parse(at)).toBeGreaterThan(0)
    // Four records of more than 900 bytes fill a page.
    expect(pages - freePages).toBeGreaterThan(RECORDS / 4)
    expect(cache).toMatchObject({ bytes: 2048 * PAGE, frames: 2048 })
    expect(cache.used).toBeLessThanOrEqual(cache.frames)
    expect(cache.dirty).toBeLessThanOrEqual(cache.used)
    expect(sum(cache.kinds.map(({ hits }) => hits))).toBeGreaterThan(0)
    expect(new Set(cache.kinds.map(({ kind }) => kind)).size).toBe(cache.kinds.length)
    expect(log.ringBytes).toBe(RING)
    expect(log.records).toBeGreaterThanOrEqual(RECORDS)
    expect(log.durable).toBeLessThanOrEqual(log.end)
    expect(traffic.recordsWrittenBytes).toBeGreaterThan(RECORDS * 900)
    expect(traffic.recordsReadBytes).toBeGreaterThan((RECORDS / 7) * 900)
    expect(traffic.readAmplification).toBeCloseTo(traffic.pagesReadBytes / traffic.recordsReadBytes)
    const written = traffic.pagesWrittenBytes + traffic.logWrittenBytes
    expect(traffic.writeAmplification).toBeCloseTo(written / traffic.recordsWrittenBytes)
  })

  test('the history counts the same, second by second', async () => {
    const groups = {
      index: ['inner', 'leaf'],
      slotMap: ['slot_map', 'directory'],
      records: ['data', 'overflow'],
    } as const
    await vi.waitFor(
      async () => {
        const { cache, log } = await report()
        const { items } = await gateway().ok<{ items: MetricsFrame[] }>(
          'GET /api/v1/metrics/history?step=1h&namespace=paged',
        )
        const loads = items.flatMap(({ devices }) => devices.flatMap(({ pages }) => pages ?? []))
        for (const group of ['index', 'slotMap', 'records'] as const) {
          const kinds = cache.kinds.filter(({ kind }) => (groups[group] as readonly string[]).includes(kind))
          for (const count of ['hits', 'misses'] as const)
            expect(sum(loads.map((load) => load[group][count]))).toBe(sum(kinds.map((kind) => kind[count])))
        }
        expect(loads.at(-1)).toMatchObject({ logRingBytes: RING, logNeededBytes: log.neededBytes })
        expect(sum(loads.map((load) => load.recordsWrittenBytesPerSecond))).toBeGreaterThan(0)
        expect(sum(loads.map((load) => load.index.hits))).toBeGreaterThan(RECORDS)
      },
      { timeout: 60_000, interval: 200 },
    )
  })

  test('the map has every page, in as many cells as were asked for', async () => {
    for (const [query, most] of [
      ['', 1024],
      ['?cells=1', 1],
      ['?cells=7', 7],
      ['?cells=4096', 4096],
    ] as const) {
      const map = await gateway().ok<PageMap>(`GET ${path}/pages/map${query}`)
      const cells = Math.ceil(map.pages / map.pagesPerCell)
      expect(cells).toBeLessThanOrEqual(most)
      expect([map.used, map.kind, map.fillPercent, map.heat, map.age].map(({ length }) => length)).toEqual(
        Array(5).fill(cells),
      )
      expect(sum(map.used)).toBeGreaterThan(RECORDS / 4)
      expect(sum(map.used)).toBeLessThanOrEqual(map.pages)
      // Four records fill a page but for a tail that is shorter than a record.
      const filled = sum(map.fillPercent.map((percent, cell) => percent * (map.used[cell] ?? 0))) / sum(map.used)
      expect(filled).toBeGreaterThan(50)
      map.used.forEach((used, cell) => {
        expect(map.kind[cell] === -1).toBe(used === 0)
        expect(used).toBeLessThanOrEqual(map.pagesPerCell)
      })
      expect(map.kinds).toContain('data')
    }
  })

  test('what other sizes would cost is told once there were reads enough', async () => {
    const ask = (): Promise<PageSizes> => gateway().ok<PageSizes>(`GET ${path}/pages/what-if`)
    const before = await ask()
    expect(before).toMatchObject({ sizes: [] })
    expect(before.samples).toBeLessThan(before.samplesNeeded)
    const body = JSON.stringify(Array.from({ length: 8000 }, (_, key) => String(key % RECORDS)))
    const headers = { 'content-type': 'application/json' }
    for (let reads = 0; reads < before.samplesNeeded; reads += 8000)
      await gateway().send(`POST ${path}/sets/s/read`, { body, headers })
    const { samples, since, sizes } = await ask()
    expect(samples).toBeGreaterThanOrEqual(before.samplesNeeded)
    expect(Date.parse(since)).toBeGreaterThan(Date.now() - 600_000)
    // All of it is in the cache.
    expect(sizes).toEqual(
      [4096, 8192, 16_384, 32_768, 65_536].map((pageBytes) => ({ pageBytes, missesPerRead: 0, readBytesPerRead: 0 })),
    )
  })

  test('the page bounds the key, and the answer names it', async () => {
    await gateway().put(`paged/sets/s/records/${'k'.repeat(1280)}`, { n: 1 })
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { body: { n: 1 } } : {}
      const answer = await gateway().send(`${method} ${path}/sets/s/records/${'k'.repeat(1281)}`, body)
      expect(answer.json()).toMatchObject({ status: 400, code: 'key_too_long', field: 'key' })
      expect(answer.json<{ detail: string }>().detail).toBe(
        'with pages of 4 KiB a key must be at most 1280 bytes, got 1281',
      )
    }
  })

  test('however a key comes, it is told the limit of its namespace', async () => {
    const { send, ok } = gateway()
    const key = 'k'.repeat(12_000)
    const detail = 'with pages of 4 KiB a key must be at most 1280 bytes, got 12000'
    const set = `${path}/sets/s`
    const ndjson = { 'content-type': 'application/x-ndjson' }
    const line = JSON.stringify({ key, bins: { n: 1 } })
    const reject = { code: 'key_too_long', field: 'key', message: detail }
    expect(await ok(`POST ${set}/records`, { body: line, headers: ndjson })).toMatchObject({ rejected: [reject] })
    const loaded = await ok(`POST ${path}/import?set=s&key=id`, {
      body: JSON.stringify({ id: key, n: 1 }),
      headers: ndjson,
    })
    expect(loaded).toMatchObject({ rejected: [reject] })
    const problem = { status: 400, code: 'key_too_long', field: 'key', detail }
    const json = { 'content-type': 'application/json' }
    expect((await send(`POST ${set}/read`, { body: JSON.stringify([key]), headers: json })).json()).toMatchObject(
      problem,
    )
    expect((await send(`PUT /ycsb/paged/s/${key}`, { body: 'x' })).json()).toMatchObject(problem)
    expect((await send(`PUT ${set}/records/${key}`, { body: { n: 1 } })).json()).toMatchObject(problem)
    expect((await send(`GET ${set}/records?from=${key}`)).json()).toMatchObject({ ...problem, field: 'from' })
  })

  test('a key to begin at that is none is named as it was given', async () => {
    for (const [query, code] of [
      ['from=', 'key_invalid'],
      ['from=x&keytype=integer', 'key_invalid'],
      ['from=9223372036854775808&keytype=integer', 'number_out_of_range'],
      ['from=!&keytype=bytes', 'key_invalid'],
      ['from=absent', 'record_not_found'],
    ] as const) {
      const answer = await gateway().send(`GET ${path}/sets/s/records?${query}`)
      expect(answer.json(), query).toMatchObject({ code, field: 'from' })
    }
  })
})

/** Lines of a batch for keys 0 to `records`. */
const lines = (records: number, line: (key: number) => object | undefined): string =>
  Array.from({ length: records }, (_, key) => {
    const part = line(key)
    return part === undefined ? '' : JSON.stringify({ key: String(key), ...part })
  }).join('\n')

describe('more data than the cache holds', () => {
  const gateway = useGateway()
  const path = '/api/v1/namespaces/large'
  const ndjson = { 'content-type': 'application/x-ndjson' }
  const records = 16_000
  const write = (body: string) => gateway().ok(`POST ${path}/sets/s/records`, { body, headers: ndjson })

  beforeAll(async () => {
    const storage = { engine: 'paged', pageBytes: PAGE, cacheBytes: 2048 * PAGE, checkpointLogBytes: RING }
    await gateway().ok('POST /api/v1/namespaces', {
      body: { name: 'large', storage, segments: 2, durability: 'relaxed' },
    })
    await write(lines(records, () => ({ bins: { text: 'x'.repeat(900) } })))
  })

  test('reads that miss are what other sizes are told from', async () => {
    const ask = (): Promise<PageSizes> => gateway().ok<PageSizes>(`GET ${path}/pages/what-if`)
    // A stride that comes by every record, no two of a page in a row.
    const keys = Array.from({ length: 8000 }, (_, at) => String((at * 7919) % records))
    const headers = { 'content-type': 'application/json' }
    const { samplesNeeded } = await ask()
    for (let reads = 0; reads < samplesNeeded + 8000; reads += keys.length)
      await gateway().send(`POST ${path}/sets/s/read`, { body: JSON.stringify(keys), headers })
    const { sizes } = await ask()
    expect(sizes.map(({ pageBytes }) => pageBytes)).toEqual([4096, 8192, 16_384, 32_768, 65_536])
    for (const { pageBytes, missesPerRead, readBytesPerRead } of sizes) {
      expect(missesPerRead).toBeGreaterThan(0)
      expect(missesPerRead).toBeLessThanOrEqual(1.1)
      expect(readBytesPerRead / missesPerRead).toBeCloseTo(pageBytes)
    }
    // A page of another size has other neighbours in it, of which nobody asks soon.
    expect(sizes.at(-1)?.readBytesPerRead).toBeGreaterThan(sizes[0]?.readBytesPerRead ?? 0)
  })

  test('a compaction gives back what deletes have left, and loses no record', async () => {
    // Three records a page: few pages of slots and of the index lie between theirs, which keep their extents.
    const [records, text] = [3000, 'x'.repeat(4000)]
    const at = '/api/v1/namespaces/holes'
    const storage = { engine: 'paged', checkpointLogBytes: RING }
    await gateway().ok('POST /api/v1/namespaces', {
      body: { name: 'holes', storage, segments: 2, durability: 'relaxed' },
    })
    const change = (body: string) => gateway().ok(`POST ${at}/sets/s/records`, { body, headers: ndjson })
    await change(lines(records, () => ({ bins: { text } })))
    await change(lines(records, (key) => (key % 8 === 0 ? undefined : { op: 'delete' })))
    const used = async () => sum((await gateway().ok<PageMap>(`GET ${at}/pages/map`)).used)
    const pages = () => gateway().ok<PagesReport>(`GET ${at}/pages`)
    const [before, usedBefore] = [await pages(), await used()]
    const body = { kind: 'compaction', namespace: 'holes' }
    const job = await gateway().ok<Job>('POST /api/v1/jobs?wait=60s', { body })
    expect(job).toMatchObject({ kind: 'compaction', state: 'done', unit: 'segments', done: 2, total: 2 })
    const { freedBytes } = job.result as { freedBytes: number }
    const after = await pages()
    expect(freedBytes).toBeGreaterThan(0)
    expect((after.freePages - before.freePages) * after.pageBytes).toBe(freedBytes)
    expect(await used()).toBeLessThan(usedBefore)
    const size = await gateway().ok<{ records: number }>(`GET ${at}/size`)
    expect(size.records).toBe(records / 8)
    for (const key of [0, 1496, 2992])
      expect(await gateway().ok(`GET ${at}/sets/s/records/${key}`)).toMatchObject({ bins: { text } })
  })
})
