import type { ClusterView } from '../../../api/types'

/** A stretch of the ring, from 0 to 1. */
export interface Stretch {
  from: number
  to: number
  /** whether the node owns the tokens; otherwise it has a copy */
  owned: boolean
}

const SMALLEST = -(2n ** 63n)
const RING = 2n ** 64n
/** As fine as a screen can show, and more. */
const STEPS = 1_000_000n

/** Where a token is on the ring, from 0 to 1. */
const placeOf = (token: bigint): number => Number(((token - SMALLEST) * STEPS) / RING) / Number(STEPS)

/** What a node has of the ring. Neighbours that it has in the same way are one. */
export function stretchesOf(ranges: ClusterView['ranges'], node: number): Stretch[] {
  const all: Stretch[] = []
  for (const { first, last, replicas } of ranges) {
    if (!replicas.includes(node)) continue
    const [from, to] = [placeOf(BigInt(first)), placeOf(BigInt(last) + 1n)]
    const owned = replicas[0] === node
    const before = all.at(-1)
    if (before !== undefined && before.to === from && before.owned === owned) before.to = to
    else all.push({ from, to, owned })
  }
  return all
}

/** The part of the ring that stretches are. */
export const partOf = (stretches: readonly Stretch[]): number =>
  stretches.reduce((sum, { from, to }) => sum + to - from, 0)
