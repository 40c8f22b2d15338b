// Experiment set-index: scans of small and large sets with and without a set index, on both storages.
import type { NamespaceConfig } from '../../schemas/namespaces/namespaces.js'
import type { Job } from '../../schemas/jobs/jobs.js'
import type { Bench, Experiment, Outcome } from '../experiment.js'
import { ended } from '../measure/jobs.js'
import { measure } from '../measure/load.js'
import { claimsOf } from './set-index-claims.js'
import { published } from './set-index-published.js'
import { type Engine, type Row, rowsOf } from './set-index-rounds.js'
import { type SetSize, setsOf } from './set-index-sets.js'
import { say, type Sentence } from '../../sentences/sentence.js'

const RECORD_BYTES = 100
const THREADS = [4, 128]
/**
 * Also used for the smallest set in memory, to measure what a scan without an index costs per
 * record of the namespace.
 */
const SMALLEST_THREADS = 2
const LOAD_THREADS = 4

export interface Size {
  /** Records of the whole namespace, while it is one set. */
  records: number
  /** Total time of all rows, loading included. */
  seconds: number
  /** Least seconds of a set that is the whole namespace: its plans read the same records and differ only by noise. */
  wholeSeconds: number
  /** Required gain of a set of 100 records in memory. */
  gainOf100: number
}

const sizes: Record<Bench['scale'], Size> = {
  smoke: { records: 220_000, seconds: 1, wholeSeconds: 0, gainOf100: 10 },
  quick: { records: 2_000_000, seconds: 48, wholeSeconds: 3, gainOf100: 10 },
  full: { records: 20_000_000, seconds: 600, wholeSeconds: 3, gainOf100: 50 },
}

type Storage = NamespaceConfig['storage'] & { engine: Engine }

const storages: readonly Storage[] = [
  { engine: 'memory' },
  // No post-write cache, so nothing written last stays in memory.
  { engine: 'device', postWriteCacheBytes: 0 },
]

/** Shares of the time. The whole namespace on a device takes the longest, and its slow plans are stopped late. */
const weights: Record<Engine, (set: SetSize) => number> = {
  memory: () => 1,
  device: ({ set }) => (set === 'A' ? 6 : set === 'B' ? 4 : 2),
}

export const setIndex: Experiment = {
  id: 'set-index',
  title: 'Set index performance',
  repeats: 'Aerospike 5.6: scans of sets from all of the namespace to 100 records, with and without a set index',
  published,
  run: (bench) => runSetIndex(bench, sizes[bench.scale]),
}

export async function runSetIndex(bench: Bench, size: Size): Promise<Outcome> {
  const sets = setsOf(size.records)
  const begin = performance.now()
  const passed = (): number => (performance.now() - begin) / 1000
  const steps = storages.flatMap((storage) =>
    sets.flatMap((set) => threadsOf(storage, set, sets).map(() => ({ storage, set }))),
  )
  let weightLeft = steps.reduce((sum, { storage, set }) => sum + weights[storage.engine](set), 0)
  const clock: Clock = {
    says: (text) => bench.progress(text, Math.min(0.99, passed() / size.seconds)),
    share: (weight) => {
      const endsAt = passed() + ((size.seconds - passed()) * weight) / weightLeft
      weightLeft -= weight
      return () => endsAt - passed()
    },
  }
  const rows: Row[] = []
  const { wholeSeconds } = size
  for (const storage of storages) rows.push(...(await onStorage({ bench, storage, sets, wholeSeconds, clock })))
  return {
    parameters: { ...size, recordBytes: RECORD_BYTES, sets, threads: THREADS },
    rows,
    claims: claimsOf(rows, size.gainOf100),
  }
}

interface Clock {
  says: (text: Sentence) => void
  /** Seconds left of a step's share. Time that a step does not use goes to later steps. */
  share: (weight: number) => () => number
}

interface Task {
  bench: Bench
  storage: Storage
  sets: readonly SetSize[]
  wholeSeconds: number
  clock: Clock
}

const threadsOf = ({ engine }: Storage, { set }: SetSize, sets: readonly SetSize[]): number[] =>
  engine === 'memory' && set === sets.at(-1)?.set ? [SMALLEST_THREADS, ...THREADS] : THREADS

/** All sets on one storage, in one namespace. */
async function onStorage(task: Task): Promise<Row[]> {
  const { bench, storage, sets } = task
  const name = `${bench.prefix}-${storage.engine}`
  const [whole, ...others] = sets
  if (whole === undefined) return []
  await bench.api.call('POST', '/namespaces', {
    name,
    storage,
    singleBin: true,
    ...(storage.engine === 'device' && { durability: 'relaxed' }),
  })
  try {
    await load(task, name, whole)
    if (storage.engine === 'device') {
      task.clock.says(say('device: calibrating'))
      await ended(bench, await bench.api.call<Job>('POST', '/jobs', { kind: 'calibrate', namespace: name }))
    }
    const rows = await scans(task, name, whole, whole.records)
    // Load the largest last, so that no records of the others stay in a buffer.
    for (const set of others.toReversed()) await load(task, name, set)
    const all = sets.reduce((sum, { records }) => sum + records, 0)
    for (const set of others) rows.push(...(await scans(task, name, set, all)))
    return rows
  } finally {
    await bench.api.call('DELETE', `/namespaces/${name}`, undefined, name)
  }
}

async function load({ bench, storage, clock }: Task, namespace: string, { set, records }: SetSize): Promise<void> {
  clock.says(say('{engine}, {set}: writing {records} records', { engine: storage.engine, set, records }))
  await measure(bench, {
    namespace,
    set,
    workload: 'I',
    object: `B:${RECORD_BYTES}`,
    keys: records,
    threads: Math.min(LOAD_THREADS, records),
  })
}

async function scans(task: Task, namespace: string, set: SetSize, namespaceRecords: number): Promise<Row[]> {
  const { bench, storage, sets, clock } = task
  const rows: Row[] = []
  const leastSeconds = set.records === namespaceRecords ? task.wholeSeconds : 0
  for (const threads of threadsOf(storage, set, sets)) {
    clock.says(
      say('{engine}, {set}: scanning {records} records with {threads} threads', {
        engine: storage.engine,
        set: set.set,
        records: set.records,
        threads,
      }),
    )
    const left = clock.share(weights[storage.engine](set))
    const group = { ...set, namespace, storage: storage.engine, namespaceRecords, threads, leastSeconds, left }
    rows.push(...(await rowsOf(bench, group)))
  }
  return rows
}
