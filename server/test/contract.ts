// The engine that the namespaces of the contract's tests have, and what it need not be able to do. The tests run with `memory`, and
// with another engine if `CONTRACT_STORAGE` has its settings: by `npm run test:long` with `device` and `paged`, and by
// `npm run test:cluster` with `cassandra`.
import { spawnSync } from 'node:child_process'

/** Work that not every engine does, as `capabilities.missing` names it: what asks for it is refused with `capability_unsupported`. */
export type Feature = 'segments' | 'disks' | 'limits'

interface Difference {
  missing: readonly Feature[]
  /** Numbers of records and bytes: `estimated` ones are about right. */
  counts: 'exact' | 'estimated'
  plans: {
    /** How a set without an index is met. */
    wholeSet: string
    /** The same, if all its records are wanted. */
    allOfSet: string
    /** Whether that meets the records of no other set. */
    meetsOnlyTheSet: boolean
    /** Whether a query with an order can follow a range index. */
    followsOrder: boolean
    /** Whether a step tells the values that it looks up. */
    showsValues: boolean
    /** Whether a plan tells the other ways that there are. */
    hasAlternatives: boolean
  }
}

const here: Difference = {
  missing: [],
  counts: 'exact',
  plans: {
    wholeSet: 'set-column',
    allOfSet: 'set-column',
    meetsOnlyTheSet: true,
    followsOrder: true,
    showsValues: true,
    hasAlternatives: true,
  },
}

/** All that engines may differ in. */
export const differences: Record<string, Difference> = {
  memory: here,
  device: { ...here, plans: { ...here.plans, allOfSet: 'device-sequential' } },
  paged: here,
  cassandra: {
    missing: ['segments', 'disks', 'limits'],
    counts: 'estimated',
    plans: {
      wholeSet: 'token-ranges',
      allOfSet: 'token-ranges',
      meetsOnlyTheSet: false,
      followsOrder: false,
      showsValues: false,
      hasAlternatives: false,
    },
  },
}

/** How a namespace of the contract keeps its records. */
export const storage = JSON.parse(process.env['CONTRACT_STORAGE'] ?? '{"engine":"memory"}') as { engine: string }
export const { missing: lacking, counts, plans } = differences[storage.engine] ?? here

export const can = (feature: Feature): boolean => !lacking.includes(feature)

/** Describes the clusters that a gateway knows, if the engine is on one. */
export const clustersFile = process.env['CONTRACT_CLUSTERS']

/** A cluster keeps the records of a namespace when the gateway is gone: removes them, by a program that is given the names. */
export function forget(names: Iterable<string>): void {
  const program = process.env['CONTRACT_FORGET']
  if (program === undefined) return
  const { status, stderr } = spawnSync(process.execPath, [program, ...names], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}
