// Resident memory and open files of the gateway, sampled, and whether they grow.
import { readdirSync, readFileSync } from 'node:fs'

export interface Sample {
  /** Which process it was. */
  readonly process: number
  /** Seconds since this process served. */
  readonly at: number
  readonly residentMib: number
  readonly files: number
}

/** Undefined if the process has gone meanwhile. */
export function sample(pid: number, process: number, at: number): Sample | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const kib = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1])
    return { process, at, residentMib: kib / 1024, files: readdirSync(`/proc/${pid}/fd`).length }
  } catch {
    return undefined
  }
}

export interface Trend {
  readonly samples: number
  readonly processes: number
  /** Growth in an hour, with half of the interval of 95%. */
  readonly perHour: number
  readonly within: number
  /** Standard deviation around the line. */
  readonly noise: number
  readonly mean: number
}

/**
 * The slope that all processes share, by least squares, where each has a level of its own. Samples near each other are alike, so the
 * interval is widened by how alike neighbours are.
 */
export function trend(samples: readonly Sample[], of: (sample: Sample) => number, warmUp: number): Trend {
  const kept = grouped(samples)
    .map((run) => run.filter(({ at }) => at >= warmUp))
    .filter((run) => run.length >= 20)
  const points = kept.flatMap((run) => {
    const [meanAt, meanOf] = [mean(run.map(({ at }) => at)), mean(run.map(of))]
    return run.map((one) => ({ x: one.at - meanAt, y: of(one) - meanOf, process: one.process }))
  })
  const xx = sum(points.map(({ x }) => x * x))
  const slope = xx === 0 ? 0 : sum(points.map(({ x, y }) => x * y)) / xx
  const rests = points.map(({ x, y, process }) => ({ rest: y - slope * x, process }))
  const squares = sum(rests.map(({ rest }) => rest * rest))
  const noise = Math.sqrt(squares / Math.max(1, points.length - kept.length - 1))
  const pairs = rests.slice(1).map((one, n) => ({ one, before: rests[n] }))
  const beside = sum(pairs.map(({ one, before }) => (before?.process === one.process ? one.rest * before.rest : 0)))
  const alike = Math.min(0.995, Math.max(0, squares === 0 ? 0 : beside / squares))
  const error = xx === 0 ? Infinity : (noise / Math.sqrt(xx)) * Math.sqrt((1 + alike) / (1 - alike))
  return {
    samples: points.length,
    processes: kept.length,
    perHour: slope * 3600,
    within: 2 * error * 3600,
    noise,
    mean: mean(kept.flat().map(of)),
  }
}

/** Ten minutes of samples: fewer tell only how caches fill. */
const ENOUGH = 300

/** Whether what an hour adds for certain is more than samples differ anyway. */
export const grows = ({ samples, perHour, within, noise }: Trend): boolean =>
  samples >= ENOUGH && perHour - within > noise

function grouped(samples: readonly Sample[]): Sample[][] {
  const runs = new Map<number, Sample[]>()
  for (const one of samples) {
    const run = runs.get(one.process)
    if (run === undefined) runs.set(one.process, [one])
    else run.push(one)
  }
  return Array.from(runs.values())
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)
const mean = (values: readonly number[]): number => (values.length === 0 ? 0 : sum(values) / values.length)

export const tellTrend = (
  name: string,
  unit: string,
  { samples, processes, perHour, within, noise, mean: level }: Trend,
) =>
  `${name}: ${perHour.toFixed(2)} ± ${within.toFixed(2)} ${unit}/h, at ${level.toFixed(1)} with noise of ${noise.toFixed(2)} ${unit} ` +
  `(${samples} samples of ${processes} processes)`
