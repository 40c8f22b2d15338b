// Finds the highest rate that stays within a millisecond, on a loaded namespace.
import type { WorkloadSpec } from '../../schemas/jobs/workloads.js'
import { watchDevice } from './device.js'
import type { Bench } from '../experiment.js'
import { measure } from './load.js'
import { type Pool, pooled, type Run, secondsOf, type Shape, strainOf } from './pool.js'
import { bestOf, nextStep, type Pace } from './search.js'
import { say, type Sentence } from '../../sentences/sentence.js'

export interface Hunt {
  bench: Bench
  base: WorkloadSpec
  pace: Pace
  /** Shapes to try; the one that does best at the first rate is kept. */
  shapes: readonly Shape[]
  /** First rate to try, and the upper bound, in operations per second. */
  first: number
  peak: number
  says: (text: Sentence) => void
  /** Seconds left. */
  left: () => number
}

export interface Found {
  steady: Pool
  /** Whether the rate held. If none did, `steady` is the last one tried. */
  held: boolean
}

export const words = ({ threads, window }: Shape): Sentence =>
  window > 1
    ? say('{threads, plural, one {# thread} other {# threads}} × {window}', { threads, window })
    : say('{threads, plural, one {# thread} other {# threads}}', { threads })

const whole = (rate: number): number => Math.max(1, Math.round(rate))

export async function findSteady(hunt: Hunt): Promise<Found> {
  const { pace, peak, left } = hunt
  let last = await firstPool(hunt)
  const { shape } = last
  // The newest attempt at each rate.
  const pools = new Map([[last.rate, last]])
  for (;;) {
    const step = nextStep([...pools.values()], pace, peak, left())
    if (step === undefined) break
    const rate = whole(step.rate)
    const before = pools.get(rate)
    const attempt = (before?.attempt ?? 0) + 1
    const pool = before === undefined || step.afresh ? { rate, shape, attempt, runs: [] } : before
    last = await grown(hunt, pool, step.seconds, step.closes)
    pools.set(rate, last)
  }
  const best = bestOf([...pools.values()], pace)
  return { steady: best ?? last, held: best !== undefined }
}

/** Runs the first rate once with each shape. */
async function firstPool(hunt: Hunt): Promise<Pool> {
  const pools: Pool[] = []
  for (const shape of hunt.shapes)
    pools.push(await grown(hunt, { rate: whole(hunt.first), shape, attempt: 1, runs: [] }, hunt.pace.run, false))
  return pools.reduce((a, b) => (strainOf(b) < strainOf(a) ? b : a))
}

/** Adds one more run. A closing run is saved under a name. */
async function grown({ bench, base, says }: Hunt, pool: Pool, seconds: number, closes: boolean): Promise<Pool> {
  const { rate, shape } = pool
  const name = `lab tps ${base.object ?? ''} at ${rate}/s`
  const spec = { ...base, ...shape, targetTps: rate, durationSeconds: seconds, ...(closes && { name }) }
  const since = await watchDevice(bench, base.namespace)
  const result = await measure(bench, spec)
  const run: Run = { seconds, result, device: await since() }
  const more = { ...pool, runs: [...pool.runs, run] }
  const { read, write } = pooled(more)
  const [reads, writes] = [read.under1msPct.toFixed(2), write.under1msPct.toFixed(2)]
  says(
    say('{rate} per second with {shape}, {seconds} s so far: {reads}% of reads and {writes}% of writes within 1 ms', {
      rate,
      shape: words(shape),
      seconds: secondsOf(more),
      reads,
      writes,
    }),
  )
  return more
}
