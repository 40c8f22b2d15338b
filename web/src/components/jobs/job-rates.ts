import type { Job } from '../../api/types'
import { withOther } from '../../charts/spec/others'
import type { ChartSpec } from '../../charts/spec/spec'
import { t } from '../../language/text'
import { figureNames } from '../api-words'

/** How far a job was at a time. */
interface Progress {
  atMs: number
  done: number
  /** work done by each worker, by its number */
  lanes: readonly number[]
}

/** Progress seen less than this after the last is left out, as a rate over it is noise. */
const LEAST_MS = 900
/** A page that shows a job asks for it more often than this. */
const BESIDE_MS = 3000
/** When a job has more, every second one goes, and the others are as far apart from then on. */
const MOST = 240
/** Jobs that are remembered, the newest. */
const MOST_JOBS = 50

/** What was seen of one job. */
export class JobRates {
  /** Another array after each change, so that pages notice it. */
  #seen: readonly Progress[] = []
  #leastMs = LEAST_MS
  #isSeeded = false
  unit: Job['unit'] = 'records'

  get seen(): readonly Progress[] {
    return this.#seen
  }

  /** Adds how far the job is, and was. Answers whether that is new. */
  add(job: Job, nowMs: number): boolean {
    this.unit = job.unit
    const { startedAt, endedAt } = job
    if (startedAt === undefined) return false
    const beganMs = Date.parse(startedAt)
    if (this.#seen.length === 0) this.#seen = [{ atMs: beganMs, done: 0, lanes: [] }]
    const isSeeded = this.#seed(job, beganMs)
    return this.#look(job, endedAt === undefined ? nowMs : Date.parse(endedAt)) || isSeeded
  }

  #look({ done, endedAt, lanes: workers }: Job, atMs: number): boolean {
    const last = this.#seen.at(-1)
    if (last === undefined || atMs <= last.atMs) return false
    const isNear = endedAt === undefined && atMs - last.atMs < this.#leastMs
    // The live stream names no workers. Beside a page that asks for them it would tear their lines.
    const isBeside = endedAt === undefined && atMs - last.atMs < Math.max(BESIDE_MS, this.#leastMs)
    if (workers === undefined && last.lanes.length > 0 && isBeside) return false
    if (isNear) {
      if (workers === undefined || last.lanes.length > 0 || this.#seen.length === 1) return false
      this.#seen = this.#seen.slice(0, -1)
    }
    const lanes: number[] = []
    for (const lane of workers ?? []) lanes[lane.worker] = lane.done
    this.#seen = [...this.#seen, { atMs, done, lanes: Array.from(lanes, (lane) => lane ?? 0) }]
    if (this.#seen.length > MOST) {
      this.#seen = this.#seen.filter((_, index) => index % 2 === 0 || index === this.#seen.length - 1)
      this.#leastMs *= 2
    }
    return true
  }

  /** Puts what the server noted before the console looked first between the start and that look. Answers whether it did. */
  #seed({ progress }: Job, beganMs: number): boolean {
    if (this.#isSeeded || progress === undefined) return false
    this.#isSeeded = true
    const firstMs = this.#seen[1]?.atMs ?? Infinity
    const points = progress.done.map((done, index) => ({
      atMs: beganMs + (index + 1) * progress.stepMs,
      done,
      lanes: [],
    }))
    const past = points.filter(({ atMs }) => atMs + LEAST_MS < firstMs)
    this.#seen = [...this.#seen.slice(0, 1), ...past, ...this.#seen.slice(1)]
    return past.length > 0
  }
}

const jobs = new Map<string, JobRates>()
const listeners = new Set<() => void>()

/** Remembers how far a job is, for the chart of its rate. */
export function noteProgress(job: Job, nowMs: number): void {
  const rates = jobs.get(job.id) ?? new JobRates()
  jobs.delete(job.id)
  jobs.set(job.id, rates)
  const [oldest] = jobs.keys()
  if (jobs.size > MOST_JOBS && oldest !== undefined) jobs.delete(oldest)
  if (rates.add(job, nowMs)) for (const listener of listeners) listener()
}

export function onProgress(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const ratesOf = (id: string): JobRates | undefined => jobs.get(id)

/** Fewer are no chart: the first rate is an average since the start. */
const LEAST_RATES = 2

/** The rate of a job over time, and of each worker that was seen; undefined if too little was. */
export function ratesSpec({ seen, unit }: JobRates): ChartSpec | undefined {
  if (seen.length <= LEAST_RATES) return undefined
  const rates = (of: (progress: Progress) => number | undefined): (number | null)[] =>
    seen.slice(1).map((now, index) => {
      const before = seen[index]
      const [from, to] = [before && of(before), of(now)]
      if (before === undefined || from === undefined || to === undefined) return null
      // A worker that took over a number goes on with its count; a restart of the count is no negative rate.
      return Math.max(0, ((to - from) * 1000) / (now.atMs - before.atMs))
    })
  const workers = Math.max(...seen.map(({ lanes }) => lanes.length))
  const all = rates(({ done }) => done)
  const lanes = Array.from({ length: workers }, (_, worker) => ({
    id: t('worker {worker}', { worker: worker + 1 }),
    name: `worker ${worker + 1}`,
    values: rates((progress) => progress.lanes[worker]),
  }))
  const format = unit === 'bytes' ? 'bytes' : 'rate'
  return {
    x: {
      name: 'time',
      scale: 'time',
      format: 'clock',
      values: seen.slice(1).map(({ atMs }) => atMs),
      range: { from: seen[0]?.atMs ?? 0, to: seen.at(-1)?.atMs ?? 1 },
    },
    y: { scale: 'linear', format },
    series: [
      { id: 'all', name: workers > 1 ? t('all workers') : figureNames('rate'), colour: 1, look: 'area', values: all },
      // One worker does all the work.
      ...(workers > 1 ? withOther(lanes, 1) : []),
    ],
  }
}
