// What another page size would cost is estimated from the reads there were. Namespaces that have that page size, the same
// records and the same reads tell what it does cost.
import { describe, expect, test } from 'vitest'
import type { PageSizes, PagesReport } from '../../src/schemas/namespaces/paged.js'
import { useGateway } from '../gateway.js'

const KIB = 1024
const NS = '/api/v1/namespaces'
/** So many pages are the smallest cache. */
const PAGES_LEAST = 2048
const BATCH = 5000

/** SplitMix32: the same numbers in every run. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x9e3779b9) | 0
    let bits = state ^ (state >>> 16)
    bits = Math.imul(bits, 0x21f0aaad)
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32
  }
}

interface Grid {
  sizes: readonly number[]
  records: number
  reads: number
}

const grid: Grid =
  process.env['TESSERA_PAGE_SIZES'] === 'all'
    ? { sizes: [4, 8, 16, 32, 64], records: 400_000, reads: 1_200_000 }
    : { sizes: [4, 8], records: 40_000, reads: 160_000 }

/** Bytes of a record: most are short, some longer than the smallest page. */
const bytesOf = (key: number): number => [150, 300, 700, 1200, 2500, 5000][key % 6] ?? 0

describe('what another page size would cost', () => {
  const gateway = useGateway({ defaultThreads: 2 })
  const cacheBytes = PAGES_LEAST * Math.max(...grid.sizes) * KIB

  async function filled(name: string, pageBytes: number): Promise<void> {
    const { ok } = gateway()
    const storage = { engine: 'paged', pageBytes, cacheBytes, checkpointLogBytes: cacheBytes + 64 * KIB * KIB }
    await ok(`POST ${NS}`, { body: { name, storage, segments: 4, durability: 'relaxed' } })
    for (let from = 0; from < grid.records; from += BATCH) {
      const lines = Array.from({ length: Math.min(BATCH, grid.records - from) }, (_, at) => {
        const key = from + at
        return `{"i":${key},"n":1,"pad":"${'x'.repeat(bytesOf(key))}"}`
      })
      await ok(`POST ${NS}/${name}/import?set=s&key=i&threads=1`, {
        body: lines.join('\n'),
        headers: { 'content-type': 'application/x-ndjson' },
      })
    }
  }

  async function missed(name: string): Promise<number> {
    const { cache } = await gateway().ok<PagesReport>(`GET ${NS}/${name}/pages`)
    const bodies = cache.kinds.filter(({ kind }) => kind === 'data' || kind === 'overflow')
    return bodies.reduce((sum, { misses }) => sum + misses, 0)
  }

  /** Reads; a fifth of the records take four fifths of them. */
  async function read(name: string, reads: number, random: () => number): Promise<void> {
    for (let done = 0; done < reads; done += BATCH) {
      const keys = Array.from({ length: BATCH }, () => {
        const among = random() < 0.8 ? grid.records / 5 : grid.records
        // Those that are read often lie among the others.
        return (Math.floor(random() * among) * 7919) % grid.records
      })
      const { text } = await gateway().send(`POST ${NS}/${name}/sets/s/read?bins=n`, {
        body: JSON.stringify(keys),
        headers: { 'content-type': 'application/json' },
      })
      expect(text.match(/"n":1/g)).toHaveLength(BATCH)
    }
  }

  test('is what it does cost', { timeout: 3_600_000 }, async () => {
    const [measured, estimates] = [new Map<number, number>(), new Map<number, PageSizes>()]
    for (const size of grid.sizes) {
      const name = `pages-${size}`
      await filled(name, size * KIB)
      const random = dice(size)
      await read(name, grid.reads / 2, random)
      const before = await missed(name)
      await read(name, grid.reads / 2, random)
      measured.set(size, (await missed(name)) - before)
      estimates.set(size, await gateway().ok<PageSizes>(`GET ${NS}/${name}/pages/what-if`))
      await gateway().ok(`DELETE ${NS}/${name}`)
    }
    for (const [own, { sizes }] of estimates)
      for (const { pageBytes, missesPerRead, readBytesPerRead } of sizes) {
        const size = pageBytes / KIB
        if (!grid.sizes.includes(size)) continue
        const found = (measured.get(size) ?? 0) / (grid.reads / 2)
        const said = `with pages of ${own} KiB, of ${size} KiB: ${missesPerRead} misses a read, measured ${found}`
        expect(found, said).toBeGreaterThan(0.3)
        expect(Math.abs(missesPerRead / found - 1), said).toBeLessThan(0.1)
        expect(readBytesPerRead, said).toBeCloseTo(missesPerRead * pageBytes)
      }
  })
})
