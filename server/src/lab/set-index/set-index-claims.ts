// The claims of experiment set-index, from its rows.
import type { Claim } from '../../schemas/jobs/lab.js'
import { claim } from '../experiment.js'
import type { Row } from './set-index-rounds.js'
import { say } from '../../sentences/sentence.js'

/** Gains down to this factor count as equal to 1, because of noise. */
const NOISE = 0.9
/** Records of the set that the bound on the gain applies to. */
const SMALL = 100

/** One set on one storage with a number of threads: the planner's choice with and without the index. */
interface Pair {
  on: Row
  off: Row
}

const gain = ({ on, off }: Pair): number => off.elapsedMs / on.elapsedMs
/** Cost of the index, by the fastest scans: other work only slows a scan down. */
const fastestCost = ({ on, off }: Pair): number => on.fastestMs / off.fastestMs
const mean = (ratios: readonly number[]): number =>
  Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length)
/** By how many percent the ratio is above 1. */
const above = (ratio: number): number => (ratio - 1) * 100

export function claimsOf(rows: readonly Row[], gainOf100: number): Claim[] {
  const pairs = rows.flatMap((on) => {
    if (on.index === 'off' || on.plan !== 'auto') return []
    const off = rows.find((row) => row.index === 'off' && sameScan(row, on))
    return off === undefined ? [] : [{ on, off }]
  })
  const those = (storage: Row['storage'], which: (row: Row) => boolean): Pair[] =>
    pairs.filter(({ on }) => on.storage === storage && which(on))
  const many = ({ threads }: Row): boolean => threads !== 2
  const set = (name: string) => (row: Row) => row.set === name && many(row)
  const small = those('memory', (row) => row.records === SMALL && many(row))
  const least = those('memory', (row) => row.records === SMALL && !many(row))[0]?.off
  return [
    claim(
      'gain-grows',
      say(
        'the smaller the set, the larger the gain (tolerance 10%): least gain in memory over that of the next larger set',
      ),
      Math.min(...steps(those('memory', many))),
      'x',
      NOISE,
    ),
    claim(
      'gain-of-100',
      say(
        'a set of {most} records in memory: time without the index over time with it, the lower of 4 and 128 threads',
        { most: SMALL },
      ),
      Math.min(...small.map(gain)),
      'x',
      gainOf100,
    ),
    claim(
      'whole-in-memory',
      say('cost of the index at 100% of the namespace in memory: fastest scans, mean of 4 and 128 threads'),
      above(mean(those('memory', set('A')).map(fastestCost))),
      '%',
      5,
      true,
    ),
    claim(
      'whole-on-device',
      say('cost of the index at 100% of the namespace on a device: fastest scans, mean of 4 and 128 threads'),
      above(mean(those('device', set('A')).map(fastestCost))),
      '%',
      5,
      true,
    ),
    claim(
      'wins-below-whole',
      say(
        'in memory, the index loses at most 10% on any set smaller than the namespace, with 4 and 128 threads: least gain',
      ),
      Math.min(...those('memory', (row) => row.set !== 'A' && many(row)).map(gain)),
      'x',
      NOISE,
    ),
    claim(
      'converge-on-device',
      say(
        'with and without the index take equally long at 5% of the namespace on a device: slower over faster, the higher of 4 and 128 threads',
      ),
      Math.max(...those('device', set('B')).map((pair) => Math.max(gain(pair), 1 / gain(pair)))),
      'x',
      1.25,
      true,
    ),
    claim(
      'planner-on-device',
      say("largest loss of the planner's choice against the best forced plan, on a device"),
      Math.max(...regrets(rows)),
      '%',
      10,
      true,
    ),
    claim(
      'column-cost',
      say('scan of the smallest set in memory without an index, 2 threads: time per record of the namespace'),
      least === undefined ? Number.NaN : (least.elapsedMs / least.namespaceRecords) * 1e6,
      'ns',
      1,
      true,
    ),
    claim(
      'device-to-memory',
      say(
        'reading single records takes at least 10 times as long on a device as in memory: 0.05% of the namespace, with the index and 4 threads',
      ),
      timeOfC(pairs, 'device') / timeOfC(pairs, 'memory'),
      'x',
      10,
    ),
  ]
}

function sameScan(a: Row, b: Row): boolean {
  return a.storage === b.storage && a.set === b.set && a.threads === b.threads
}

/** For each set but the largest: its gain over the gain of the next larger set. */
function steps(pairs: readonly Pair[]): number[] {
  return pairs.flatMap((pair) => {
    const larger = pairs
      .filter(({ on }) => on.threads === pair.on.threads && on.records > pair.on.records)
      .toSorted((a, b) => a.on.records - b.on.records)[0]
    return larger === undefined ? [] : [gain(pair) / gain(larger)]
  })
}

/**
 * For each set on the device: by how many percent the planner's choice is slower than the best plan. Its plan was timed twice, chosen and
 * forced; the better time counts, because the two differ only by noise.
 */
function regrets(rows: readonly Row[]): number[] {
  return rows.flatMap((chosen) => {
    if (chosen.storage !== 'device' || chosen.index === 'off' || chosen.plan !== 'auto') return []
    // The time of a stopped plan is too short, but longer than that of the choice, so it is not the best.
    const all = rows.filter((row) => row.index === 'on' && sameScan(row, chosen))
    const best = (of: readonly Row[]): number => Math.min(...of.map(({ elapsedMs }) => elapsedMs))
    return [above(best(all.filter(({ method }) => method === chosen.method)) / best(all))]
  })
}

const timeOfC = (pairs: readonly Pair[], storage: Row['storage']): number =>
  pairs.find(({ on }) => on.storage === storage && on.set === 'C' && on.threads === 4)?.on.elapsedMs ?? Number.NaN
