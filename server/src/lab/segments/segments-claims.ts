// Rows and claims of experiment segments, from its pairs.
import type { Claim } from '../../schemas/jobs/lab.js'
import { claim } from '../experiment.js'

export const CONTAINERS = ['flat', 'segmented'] as const
export type Container = (typeof CONTAINERS)[number]

export const OPERATIONS = ['size', 'iterate', 'get', 'put'] as const
export type Operation = (typeof OPERATIONS)[number]

/** An operation and its number of threads. */
export interface Task {
  operation: Operation
  threads: number
}

/** What is measured: the published operations, then gets and puts by two threads. */
export const TASKS: readonly Task[] = [
  ...OPERATIONS.map((operation) => ({ operation, threads: 1 })),
  { operation: 'get', threads: 2 },
  { operation: 'put', threads: 2 },
]

/** Unit of each operation's rate. */
const PER: Record<Operation, string> = { size: 'sizes/s', iterate: 'entries/s', get: 'gets/s', put: 'puts/s' }

/** Rates of both containers, one run right after the other. */
export type Pair = Record<Container, number>

/**
 * One operation on one container. The last four fields describe the pairs and are the same in both
 * rows of an operation.
 */
export type Row = {
  container: Container
  operation: Operation
  threads: number
  /** Median of the runs, in the unit `per`. */
  opsPerSecond: number
  per: string
  /** Segmented over flat: median and quartiles of the pairs. */
  ratio: number
  low: number
  high: number
  pairs: number
}

/** The quantile `q` of the values, interpolated; 0 without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = q * (sorted.length - 1)
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  if (below === undefined || above === undefined) return 0
  return below + (above - below) * (place - Math.floor(place))
}

export function rowsOf({ operation, threads }: Task, pairs: readonly Pair[]): Row[] {
  const ratios = pairs.map(({ flat, segmented }) => segmented / flat)
  const at = (q: number): number => Number(quantile(ratios, q).toPrecision(5))
  const of = { ratio: at(0.5), low: at(0.25), high: at(0.75), pairs: pairs.length }
  return CONTAINERS.map((container) => {
    const rates = pairs.map((pair) => pair[container])
    return { container, operation, threads, opsPerSecond: Math.round(quantile(rates, 0.5)), per: PER[operation], ...of }
  })
}

/** Required gain of the segmented container. */
const GAINS = { size: 3, iterate: 1.05 } as const
/** Allowed difference for single records, percent. */
const APART = 1

export function claimsOf(rows: readonly Row[]): Claim[] {
  const ratio = (operation: Operation): number =>
    rows.find((row) => row.operation === operation && row.threads === 1)?.ratio ?? 0
  return [
    claim('size', 'size: segmented against flat', ratio('size'), '×', GAINS.size),
    claim('iterate', 'iteration over all entries: segmented against flat', ratio('iterate'), '×', GAINS.iterate),
    ...(['get', 'put'] as const).map((operation) => {
      const apart = Math.abs(ratio(operation) - 1) * 100
      return claim(operation, `${operation}: difference between the containers`, apart, '%', APART, true)
    }),
  ]
}
