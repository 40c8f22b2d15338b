// The engine that the namespaces of the contract's tests have, and what it need not be able to do. The tests run with `memory`, and
// with another engine if `CONTRACT_STORAGE` has its settings; by `npm run test:cluster` with `cassandra`.
import { spawnSync } from 'node:child_process'

/** Work that not every engine does, as `capabilities.missing` names it: what asks for it is refused with `capability_unsupported`. */
export type Feature = 'segments' | 'disks' | 'limits'

/** All that engines may differ in. `estimated`: numbers of records and bytes are about right. */
export const differences: Record<string, { missing: Feature[]; counts: 'exact' | 'estimated' }> = {
  memory: { missing: [], counts: 'exact' },
  device: { missing: [], counts: 'exact' },
  paged: { missing: [], counts: 'exact' },
  cassandra: { missing: ['segments', 'disks', 'limits'], counts: 'estimated' },
}

/** How a namespace of the contract keeps its records. */
export const storage = JSON.parse(process.env['CONTRACT_STORAGE'] ?? '{"engine":"memory"}') as { engine: string }
const { missing, counts } = differences[storage.engine] ?? { missing: [], counts: 'exact' }

export const can = (feature: Feature): boolean => !missing.includes(feature)
export const lacking: readonly Feature[] = missing
export const isEstimated = counts === 'estimated'

/** Describes the clusters that a gateway knows, if the engine is on one. */
export const clustersFile = process.env['CONTRACT_CLUSTERS']

/** A cluster keeps the records of a namespace when the gateway is gone: removes them, by a program that is given the names. */
export function forget(names: Iterable<string>): void {
  const program = process.env['CONTRACT_FORGET']
  if (program === undefined) return
  const { status, stderr } = spawnSync(process.execPath, [program, ...names], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}
