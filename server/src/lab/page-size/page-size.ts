// Experiment page-size: the phases of YCSB with pages of 16 and of 64 KiB, behind a cache of a quarter of the data.
import type { DeviceFileUse, Namespace } from '../../schemas/namespaces/namespaces.js'
import type { PagesReport } from '../../schemas/namespaces/paged.js'
import type { WorkloadSpec } from '../../schemas/jobs/workloads.js'
import type { Bench, Experiment, Outcome } from '../experiment.js'
import { measure, type Result } from '../measure/load.js'
import { inNamespace } from '../measure/namespace.js'
import { claimsOf, type PageBytes, PAGES, PEER, type Phase, PHASES, type Row } from './page-size-claims.js'
import { published } from './page-size-published.js'
import { say, type Sentence } from '../../sentences/sentence.js'

/** Size of a YCSB record: 10 fields of 100 bytes. */
const RECORD_BYTES = 1000
const WORKLOADS: Record<Phase, string> = {
  load: 'YCSB,LOAD',
  '50/50': 'YCSB,A',
  '95/5': 'YCSB,B',
  'read only': 'YCSB,C',
}
const LOAD_THREADS = 4
const THREADS = 2

export interface Size {
  records: number
  cacheBytes: number
  /** Unmeasured reads after the load: without them, the cache would hold the last loaded records. */
  warmUpSeconds: number
  /** Of each phase after the load. */
  seconds: number
}

const sizes: Record<Bench['scale'], Size> = {
  smoke: { records: 160_000, cacheBytes: 128 * 1024 ** 2, warmUpSeconds: 1, seconds: 1 },
  quick: { records: 1_000_000, cacheBytes: 256 * 1024 ** 2, warmUpSeconds: 1, seconds: 5 },
  full: { records: 4_000_000, cacheBytes: 1024 ** 3, warmUpSeconds: 10, seconds: 45 },
}

export const pageSize: Experiment = {
  id: 'page-size',
  title: 'Page size under YCSB',
  repeats: 'OrientDB OEP 9: pages of 16 KB instead of 64 KB, data larger than the cache',
  published,
  run: (bench) => runPageSize(bench, sizes[bench.scale]),
}

export async function runPageSize(bench: Bench, size: Size): Promise<Outcome> {
  const rows: Row[] = []
  const access = new Set<Access>()
  for (const pageBytes of PAGES) {
    const storage = { engine: 'paged', pageBytes, cacheBytes: size.cacheBytes } as const
    const settings = { storage, durability: 'relaxed' } as const
    // One size after the other, so that only one is on the disk.
    rows.push(
      ...(await inNamespace(bench, `${pageBytes / 1024}k`, settings, async (name) => {
        for (const one of await accessOf(bench, name)) access.add(one)
        return phases(bench, size, name, pageBytes)
      })),
    )
  }
  return {
    parameters: {
      ...size,
      dataBytes: size.records * RECORD_BYTES,
      loadThreads: LOAD_THREADS,
      threads: THREADS,
      distribution: 'zipfian',
      cachedIo: false,
      access: [...access].join(', '),
      durability: 'relaxed',
      peer: PEER,
    },
    rows,
    claims: claimsOf(rows),
    notes: notesOf([...access]),
  }
}

type Access = DeviceFileUse['access']

/** How the namespace's files are really accessed; not every file system supports direct reads. */
async function accessOf({ api }: Bench, namespace: string): Promise<Access[]> {
  const { device } = await api.call<Namespace>('GET', `/namespaces/${namespace}`)
  return (device?.devices ?? []).map(({ access }) => access)
}

/** Notes on conditions that affect the rows. */
export function notesOf(access: readonly Access[]): Sentence[] {
  if (access.length > 0 && access.every((one) => one === 'direct')) return []
  return [
    say(
      'Reads and writes went through the page cache of the operating system. The rates do not measure the disk, so do not compare them with the published ones.',
    ),
  ]
}

async function phases(bench: Bench, size: Size, namespace: string, pageBytes: PageBytes): Promise<Row[]> {
  const rows: Row[] = []
  const base: WorkloadSpec = { namespace, keys: size.records, distribution: 'zipfian', threads: THREADS }
  for (const [at, phase] of PHASES.entries()) {
    const says =
      phase === 'load'
        ? say('loading {records} records', { records: size.records })
        : say('measuring {phase}', { phase })
    const done = (PAGES.indexOf(pageBytes) + at / PHASES.length) / PAGES.length
    bench.progress(say('{kib} KiB: {says}', { kib: pageBytes / 1024, says }), done)
    if (at === 1)
      await measure(bench, { ...base, workload: WORKLOADS['read only'], durationSeconds: size.warmUpSeconds })
    const workload = WORKLOADS[phase]
    const spec: WorkloadSpec =
      phase === 'load'
        ? { namespace, keys: size.records, workload, threads: LOAD_THREADS }
        : { ...base, workload, durationSeconds: size.seconds }
    const before = await bytesRead(bench, namespace)
    const result = await measure(bench, spec)
    rows.push(...rowsOf(pageBytes, phase, result, (await bytesRead(bench, namespace)) - before))
  }
  return rows
}

async function bytesRead({ api }: Bench, namespace: string): Promise<number> {
  return (await api.call<PagesReport>('GET', `/namespaces/${namespace}/pages`)).traffic.pagesReadBytes
}

/** @throws Error if operations failed, because their rates would be wrong */
function rowsOf(pageBytes: PageBytes, phase: Phase, result: Result, readBytes: number): Row[] {
  const { operations, tps, kinds = [], errorMessage, cpuMicrosPerOperation } = result
  if (errorMessage !== undefined) throw new Error(`operations of ${phase} failed: ${errorMessage}`)
  const bytes = readBytes / Math.max(1, operations)
  return kinds.map(({ kind, tps: rate, avgUs, minUs, p95Us, p99Us }) => ({
    pageBytes,
    phase,
    // The load generator calls an insert a write, because the record may exist.
    operation: kind === 'write' ? 'insert' : kind,
    throughput: Math.round(tps),
    operationsPerSecond: Math.round(rate),
    avgUs,
    minUs,
    p95Us,
    p99Us,
    pagesReadPerOperation: Math.round((bytes / pageBytes) * 1000) / 1000,
    bytesReadPerOperation: Math.round(bytes),
    cpuMicrosPerOperation,
  }))
}
