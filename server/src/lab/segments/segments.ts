// Experiment segments: sizes, iterations, gets and puts on a segmented container and on a flat one, in pairs.
import type { NamespaceConfig } from '../../schemas/namespaces/namespaces.js'
import type { WorkloadSpec } from '../../schemas/jobs/workloads.js'
import type { Bench, Experiment, Outcome } from '../experiment.js'
import { measure } from '../measure/load.js'
import { inNamespace } from '../measure/namespace.js'
import {
  claimsOf,
  type Container,
  CONTAINERS,
  type Operation,
  type Pair,
  type Row,
  rowsOf,
  type Task,
  TASKS,
} from './segments-claims.js'
import { checkDigests, loadOwned, segmentsOf } from './segments-data.js'
import { published } from './segments-published.js'
import { english, say, type Sentence } from '../../sentences/sentence.js'

const VALUE_BYTES = 1000
const BATCH = 4096
const NODES = 4
const OWNERS = 2
const SEGMENTS = 256
const NODE_NUMBERS = Array.from({ length: NODES }, (_, node) => node)

const WORKLOADS: Record<Operation, string> = {
  size: 'SIZE',
  iterate: `ITERATE,${BATCH}`,
  get: 'RU,100',
  put: 'RU,0',
}
/** Operations of the first run of each kind. It only finds how many operations fill a run. */
const FIRST: Record<Operation, number> = { size: 1000, iterate: 2, get: 20_000, put: 20_000 }
/** Least duration of a first run that is long enough, ms. */
const TELLING_MS = 20
const RUN_MS = { least: 50, most: 150 }
const GROW_MOST = 20

export interface Size {
  entries: number
  /** Pairs of sizes, and of iterations; pair i runs on node i modulo the nodes. */
  pairs: number
  /** Pairs of gets, and of puts, by one thread. */
  pointPairs: number
  /** The same by two threads. */
  sharedPairs: number
  /** Total time; runs are shorter if loading took long. */
  seconds: number
}

const sizes: Record<Bench['scale'], Size> = {
  smoke: { entries: 5_000, pairs: 8, pointPairs: 4, sharedPairs: 4, seconds: 0 },
  quick: { entries: 50_000, pairs: 16, pointPairs: 81, sharedPairs: 21, seconds: 34 },
  full: { entries: 500_000, pairs: 40, pointPairs: 201, sharedPairs: 81, seconds: 270 },
}

export const segments: Experiment = {
  id: 'segments',
  title: 'Segmented containers',
  repeats: 'Infinispan 9.3: segmented data containers against one map, for sizes, iterations, gets and puts',
  published,
  run: (bench) => runSegments(bench, sizes[bench.scale]),
}

/** A namespace per container, and the entries that one operation covers. */
interface Place {
  names: Record<Container, string>
  /** Entries per iteration. */
  entries: number
}

type Places = readonly [Place, ...Place[]]

export async function runSegments(bench: Bench, size: Size): Promise<Outcome> {
  const since = performance.now()
  await checkDigests(bench)
  const ofEntries = await segmentsOf(size.entries, SEGMENTS)
  const settings = [
    ...NODE_NUMBERS.flatMap((self) =>
      CONTAINERS.map((container) => ({
        suffix: `${container}-${self}`,
        ...settingsOf(container),
        ownership: { nodes: NODES, owners: OWNERS, self },
      })),
    ),
    ...CONTAINERS.map((container) => ({ suffix: `${container}-all`, ...settingsOf(container) })),
  ]
  return inAll(bench, settings, async (names) => {
    const placeAt = (at: number): Place => {
      const [flat = '', segmented = ''] = names.slice(2 * at)
      return { names: { flat, segmented }, entries: 0 }
    }
    const whole: Places = [placeAt(NODES)]
    const nodes: Places = [placeAt(0), ...NODE_NUMBERS.slice(1).map(placeAt)]
    for (const [node, place] of nodes.entries()) {
      for (const container of CONTAINERS) {
        bench.progress(
          say('node {node} of {most}: loading its entries, {container}', { node, most: NODES, container }),
          (0.3 * node) / NODES,
        )
        place.entries = await loadOwned(bench, place.names[container], node, ofEntries, VALUE_BYTES)
      }
    }
    for (const container of CONTAINERS) {
      bench.progress(say('loading all {entries} entries, {container}', { entries: size.entries, container }), 0.3)
      await measure(bench, { ...specOf(whole[0].names[container], size), workload: 'I' })
    }
    const rows: Row[] = []
    let runs = 4 * (size.pairs + size.pointPairs + size.sharedPairs)
    for (const [at, task] of TASKS.entries()) {
      const single = task.operation === 'get' || task.operation === 'put'
      const point = task.threads === 1 ? size.pointPairs : size.sharedPairs
      const [places, pairs] = single ? [whole, point] : [nodes, size.pairs]
      const left = size.seconds * 1000 - (performance.now() - since)
      const runMs = Math.min(RUN_MS.most, Math.max(RUN_MS.least, left / runs))
      rows.push(...(await rowsFor(bench, size, at, task, places, pairs, runMs)))
      runs -= 2 * pairs
    }
    const parameters = {
      ...size,
      valueBytes: VALUE_BYTES,
      batch: BATCH,
      nodes: NODES,
      owners: OWNERS,
      segments: SEGMENTS,
      leastRunMs: RUN_MS.least,
      mostRunMs: RUN_MS.most,
    }
    return { parameters, rows, claims: claimsOf(rows) }
  })
}

type Settings = Omit<NamespaceConfig, 'name'>

const settingsOf = (container: Container): Settings => ({
  storage: { engine: 'memory' },
  segments: SEGMENTS,
  container,
})

const specOf = (namespace: string, { entries }: Size): WorkloadSpec => ({
  namespace,
  keys: entries,
  object: `B:${VALUE_BYTES}`,
  threads: 1,
})

/** Creates namespaces with all these settings; drops them when `work` has ended. */
async function inAll<T>(
  bench: Bench,
  [first, ...others]: readonly (Settings & { suffix: string })[],
  work: (names: string[]) => Promise<T>,
): Promise<T> {
  if (first === undefined) return work([])
  const { suffix, ...settings } = first
  return inNamespace(bench, suffix, settings, (name) => inAll(bench, others, (names) => work([name, ...names])))
}

/** Pairs of one operation, on the places in turn. The first container alternates. */
async function rowsFor(
  bench: Bench,
  size: Size,
  number: number,
  task: Task,
  places: Places,
  count: number,
  runMs: number,
): Promise<Row[]> {
  const { operation, threads } = task
  const words: Sentence =
    threads === 1 ? { message: operation } : say('{operation} by {threads} threads', { operation, threads })
  const workload = WORKLOADS[operation]
  const run = async ({ names, entries }: Place, container: Container, operations: number, seed: number) => {
    const spec = { ...specOf(names[container], size), threads, workload, operations, seed }
    const { elapsedSeconds, tps, errorMessage } = await measure(bench, spec)
    if (errorMessage !== undefined) throw new Error(`operations of ${english(words)} failed: ${errorMessage}`)
    const each = operation === 'iterate' ? entries : 1
    // The report has seconds to three digits, too few for such short runs.
    return { ms: elapsedSeconds * 1000, rate: tps * each }
  }
  bench.progress(
    say('{what}: finding the number of operations for {ms} ms', { what: words, ms: Math.round(runMs) }),
    doneAt(number, 0),
  )
  const operations: Pair = { flat: FIRST[operation], segmented: FIRST[operation] }
  for (const container of CONTAINERS) {
    for (let ms = 0; ms < TELLING_MS;) {
      ms = (await run(places[0], container, operations[container], 0)).ms
      const times = Math.min(GROW_MOST, runMs / Math.max(ms, Number.EPSILON))
      operations[container] = Math.max(1, Math.round(operations[container] * times))
    }
  }
  const pairs: Pair[] = []
  while (pairs.length < count) {
    const at = pairs.length
    bench.progress(say('{what}: pair {at} of {count}', { what: words, at: at + 1, count }), doneAt(number, at / count))
    const place = places[at % places.length] ?? places[0]
    const pair: Pair = { flat: 0, segmented: 0 }
    const turn = Math.floor(at / places.length)
    for (const container of turn % 2 === 0 ? CONTAINERS : CONTAINERS.toReversed())
      pair[container] = (await run(place, container, operations[container], at + 1)).rate
    pairs.push(pair)
  }
  return rowsOf(task, pairs)
}

/** Progress at the start of each task, and at the end of the last. */
const BEGINS = [0.35, 0.42, 0.49, 0.68, 0.87, 0.93, 1]

/** Overall progress from the progress of one task. */
function doneAt(number: number, part: number): number {
  const [begins = 1, ends = 1] = BEGINS.slice(number)
  return begins + (ends - begins) * part
}
