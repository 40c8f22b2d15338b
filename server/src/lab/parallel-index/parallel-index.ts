// Experiment parallel-index: document index builds over 1 to 8 times the rows on 1 and more threads, loads with and without the
// index, and the published queries.
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Job } from '../../schemas/jobs/jobs.js'
import type { ImportReport } from '../../schemas/load/import.js'
import type { StreamSummary } from '../../schemas/records/search.js'
import type { Status } from '../../schemas/server/status.js'
import type { Bench, Experiment, Outcome } from '../experiment.js'
import { ended } from '../measure/jobs.js'
import { inNamespace } from '../measure/namespace.js'
import { type BuildRow, claimsOf, type LoadRow, type QueryRow, type Row } from './parallel-index-claims.js'
import { published } from './parallel-index-published.js'
import { median } from '../set-index/set-index-rounds.js'
import { say } from '../../sentences/sentence.js'

const SEED = 1
const MULTIPLES = [1, 2, 4, 8]
const SET = 'events'
/** The repository with some of the commits that the queries look for. */
const REPOSITORY = 17_330_407
const IN_MEMORY = { storage: { engine: 'memory' } } as const
const INDEX = { name: 'payload', set: SET, bin: 'payload', kind: 'document' }
const WHERE = {
  and: [
    { bin: 'event_type', op: 'eq', value: 'PushEvent' },
    { bin: 'payload', op: 'contains', value: { commits: [{ author: { email: 'test@gmail.com' } }] } },
  ],
}

export interface Size {
  /** Rows of the smallest build, of the loads and of the queries. */
  rows: number
  /** Number of measurements of each build and load; the median counts. */
  rounds: number
  /** Number of measurements of a query with the index; without it, a tenth of that. */
  queries: number
}

const sizes: Record<Bench['scale'], Size> = {
  smoke: { rows: 3_100, rounds: 1, queries: 3 },
  quick: { rows: 27_000, rounds: 3, queries: 50 },
  full: { rows: 218_934, rounds: 3, queries: 300 },
}

export const parallelIndex: Experiment = {
  id: 'parallel-index',
  title: 'Parallel indexing of documents',
  repeats: 'Canopy: GIN indexes over GitHub events, in one table and distributed, with loads and queries',
  published,
  run: (bench) => runParallelIndex(bench, sizes[bench.scale]),
}

export async function runParallelIndex(bench: Bench, size: Size): Promise<Outcome> {
  const { cpus } = await bench.api.call<Status>('GET', '/status')
  const threads = [1, 2, 4, 8, 16, 32, 64, 128].filter((count) => count === 1 || count <= cpus)
  const folder = await mkdtemp(join(tmpdir(), 'tessera-lab-events-'))
  try {
    const file = join(folder, 'events.csv')
    bench.progress(say('making {events} events', { events: size.rows }), 0)
    await pipeline(await eventsOf(bench, 0, size.rows), createWriteStream(file), { signal: bench.signal })
    const rows: Row[] = [
      ...(await loads(bench, size, file, Math.max(...threads))),
      ...(await inNamespace(bench, 'events', IN_MEMORY, (namespace) =>
        buildsAndQueries(bench, size, namespace, threads),
      )),
    ]
    return {
      parameters: { ...size, multiples: MULTIPLES, threads, seed: SEED, distributionBin: 'repo_id' },
      rows,
      claims: claimsOf(rows),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const eventsOf = ({ api }: Bench, first: number, rows: number): Promise<Readable> =>
  api.download(`/sample-events?rows=${rows}&first=${first}&seed=${SEED}`)

function load({ api, signal }: Bench, namespace: string, events: Readable, threads: number): Promise<ImportReport> {
  signal.throwIfAborted()
  const stop = (): void => void events.destroy(signal.reason as Error)
  signal.addEventListener('abort', stop)
  const query = `set=${SET}&key=event_id&distributionBin=repo_id&threads=${threads}`
  return api
    .upload<ImportReport>(`/namespaces/${namespace}/import?${query}`, 'text/csv', events)
    .finally(() => signal.removeEventListener('abort', stop))
}

/** Loads the same file with and without the index, alternating. */
async function loads(bench: Bench, { rows, rounds }: Size, file: string, threads: number): Promise<LoadRow[]> {
  const took = { no: [] as number[], yes: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    for (const indexed of ['no', 'yes'] as const) {
      bench.progress(
        say('loading {events} events, index: {indexed}', { events: rows, indexed }),
        0.02 + (0.2 * round) / rounds,
      )
      const report = await inNamespace(bench, 'load', IN_MEMORY, async (namespace) => {
        if (indexed === 'yes') await build(bench, namespace, threads)
        return load(bench, namespace, createReadStream(file, { highWaterMark: 256 * 1024 }), threads)
      })
      if (report.inserted !== rows) throw new Error(`only ${report.inserted} of ${rows} events were stored`)
      took[indexed].push(report.elapsedMs)
    }
  }
  return (['no', 'yes'] as const).map((indexed) => {
    const elapsedMs = median(took[indexed])
    return { kind: 'load', rows, threads, indexed, elapsedMs, rowsPerSecond: rateOf(rows, elapsedMs) }
  })
}

/** Grows the namespace step by step and builds the index at each step. Runs the queries at the first step. */
async function buildsAndQueries(bench: Bench, size: Size, namespace: string, threads: number[]): Promise<Row[]> {
  const rows: Row[] = []
  let stored = 0
  for (const multiple of MULTIPLES) {
    const wanted = multiple * size.rows
    const done = 0.22 + 0.77 * (stored / (size.rows * Math.max(...MULTIPLES)))
    bench.progress(say('loading up to {events} events', { events: wanted }), done)
    await load(bench, namespace, await eventsOf(bench, stored, wanted - stored), Math.max(...threads))
    stored = wanted
    if (multiple === 1) rows.push(...(await queries(bench, size, namespace, 'no')))
    const took = new Map(threads.map((count): [number, number[]] => [count, []]))
    for (let round = 0; round < size.rounds; round += 1) {
      for (const count of threads) {
        bench.progress(
          say('building over {events} events with {threads} threads', { events: stored, threads: count }),
          done,
        )
        took.get(count)?.push(await build(bench, namespace, count))
        const last = round === size.rounds - 1 && count === threads.at(-1)
        if (multiple === 1 && last) rows.push(...(await queries(bench, size, namespace, 'yes')))
        await bench.api.call('DELETE', `/namespaces/${namespace}/indexes/${INDEX.name}`, undefined, INDEX.name)
      }
    }
    const alone = median(took.get(1) ?? [])
    for (const [count, all] of took) {
      const elapsedMs = median(all)
      rows.push(buildRow(stored, count, elapsedMs, alone))
    }
  }
  return rows
}

const buildRow = (rows: number, threads: number, elapsedMs: number, aloneMs: number): BuildRow => ({
  kind: 'build',
  rows,
  threads,
  elapsedMs,
  rowsPerSecond: rateOf(rows, elapsedMs),
  speedup: Math.round((aloneMs / elapsedMs) * 1000) / 1000,
})

/** Builds the index. Returns the duration of the job, ms. */
async function build(bench: Bench, namespace: string, threads: number): Promise<number> {
  bench.signal.throwIfAborted()
  const started = await bench.api.call<Job>('POST', `/namespaces/${namespace}/indexes?wait=1s`, { ...INDEX, threads })
  const { startedAt, endedAt } = await ended(bench, started)
  // Jobs report whole milliseconds; count a shorter build as 1 ms.
  return Math.max(1, Date.parse(endedAt ?? '') - Date.parse(startedAt ?? ''))
}

async function queries(bench: Bench, size: Size, namespace: string, indexed: 'yes' | 'no'): Promise<QueryRow[]> {
  const times = indexed === 'yes' ? size.queries : Math.max(3, Math.round(size.queries / 10))
  const rows: QueryRow[] = []
  for (const query of ['all', 'one'] as const) {
    bench.progress(say('querying {query}, index: {indexed}', { query, indexed }), 0.3)
    const body =
      query === 'all'
        ? { set: SET, where: WHERE, select: ['repo_id', 'payload'] }
        : { set: SET, where: ofRepository, select: ['repo_id', 'payload'], route: REPOSITORY }
    const summaries: StreamSummary[] = []
    for (let time = 0; time < times; time += 1) {
      bench.signal.throwIfAborted()
      const path = `/namespaces/${namespace}/query`
      summaries.push((await bench.api.call<{ summary: StreamSummary }>('POST', path, body)).summary)
    }
    const elapsedMs = median(summaries.map((summary) => summary.elapsedMs))
    rows.push({ kind: 'query', query, rows: size.rows, indexed, elapsedMs, matches: summaries[0]?.returned ?? 0 })
  }
  return rows
}

/** A segment also has events of other repositories. */
const ofRepository = { and: [...WHERE.and, { bin: 'repo_id', op: 'eq', value: REPOSITORY }] }

const rateOf = (rows: number, elapsedMs: number): number => (elapsedMs > 0 ? Math.round((rows / elapsedMs) * 1000) : 0)
