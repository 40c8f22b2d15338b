// Rows and claims of experiment segments, from its pairs.
import type { Claim } from '../../schemas/jobs/lab.js'
import { claim } from '../experiment.js'
import { say } from '../../sentences/sentence.js'

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
  /** In the pair of the median ratio, in the unit `per`. */
  opsPerSecond: number
  per: string
  /** Segmented over flat: median and quartiles of the pairs. */
  ratio: number
  low: number
  high: number
  pairs: number
}

/** The rows of an operation. Their rates are of one pair, that of the median ratio, so rates and ratio tell the same. */
export function rowsOf({ operation, threads }: Task, pairs: readonly Pair[]): Row[] {
  const ratioOf = (pair: Pair | undefined): number => (pair === undefined ? 0 : pair.segmented / pair.flat)
  const sorted = pairs.toSorted((a, b) => ratioOf(a) - ratioOf(b))
  const last = sorted.length - 1
  const middle = sorted[Math.floor(last / 2)]
  const exact = (pair: Pair | undefined): number => Number(ratioOf(pair).toPrecision(5))
  const of = {
    ratio: exact(middle),
    low: exact(sorted[Math.floor(last / 4)]),
    high: exact(sorted[Math.ceil((3 * last) / 4)]),
    pairs: pairs.length,
  }
  return CONTAINERS.map((container) => {
    const opsPerSecond = Math.round(middle?.[container] ?? 0)
    return { container, operation, threads, opsPerSecond, per: PER[operation], ...of }
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
    claim('size', say('size: segmented against flat'), ratio('size'), '×', GAINS.size),
    claim('iterate', say('iteration over all entries: segmented against flat'), ratio('iterate'), '×', GAINS.iterate),
    ...(['get', 'put'] as const).map((operation) => {
      const apart = Math.abs(ratio(operation) - 1) * 100
      return claim(
        operation,
        say('{operation}: difference between the containers', { operation }),
        apart,
        '%',
        APART,
        true,
      )
    }),
  ]
}
