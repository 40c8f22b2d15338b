// What the rows of experiment page-size say.
import type { Claim } from '../../schemas/jobs/lab.js'
import { claim } from '../experiment.js'
import { say } from '../../sentences/sentence.js'

export const PAGES = [16 * 1024, 64 * 1024] as const
export type PageBytes = (typeof PAGES)[number]

export const PHASES = ['load', '50/50', '95/5', 'read only'] as const
export type Phase = (typeof PHASES)[number]

/** One kind of operation in one phase with one size of pages. */
export type Row = {
  pageBytes: PageBytes
  phase: Phase
  operation: string
  /** Operations per second of the phase, all kinds together. */
  throughput: number
  /** Of this kind. */
  operationsPerSecond: number
  avgUs: number
  minUs: number
  p95Us: number
  p99Us: number
  /** Pages and bytes read from the disk per operation of the phase, of any kind. */
  pagesReadPerOperation: number
  bytesReadPerOperation: number
  cpuMicrosPerOperation: number
}

/** Required gain of 16 KiB pages. */
const GAINS: Record<Phase, number> = { load: 1.2, '50/50': 1.7, '95/5': 1.3, 'read only': 1.6 }

/** OrientDB 2.2.37 on two cores and a virtual disk: 16 KB pages, a million records of 10 × 100 bytes, 256 MB of cache; operations a second. */
export const PEER: Record<Phase, number> = { load: 7532, '50/50': 7984, '95/5': 9348, 'read only': 12_870 }
const PEER_TIMES = 4

export function claimsOf(rows: readonly Row[]): Claim[] {
  const rate = (pageBytes: PageBytes, phase: Phase): number =>
    rows.find((row) => row.pageBytes === pageBytes && row.phase === phase)?.throughput ?? 0
  const gain = (phase: Phase): number => {
    const large = rate(64 * 1024, phase)
    return large > 0 ? rate(16 * 1024, phase) / large : 0
  }
  return [
    ...PHASES.map((phase) =>
      claim(
        `gain-${idOf(phase)}`,
        say('{phase}: pages of 16 KiB against pages of 64 KiB', { phase }),
        gain(phase),
        '×',
        GAINS[phase],
      ),
    ),
    ...PHASES.map((phase) =>
      claim(
        `peer-${idOf(phase)}`,
        say("{phase}: pages of 16 KiB against the peer's {peer} per second", { phase, peer: PEER[phase] }),
        rate(16 * 1024, phase) / PEER[phase],
        '×',
        PEER_TIMES,
      ),
    ),
  ]
}

const idOf = (phase: Phase): string => phase.replaceAll(/\W/g, '-')
