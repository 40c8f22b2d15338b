import type { Job } from '../../api/types'
import { serverText } from '../../language/server-text'
import { t } from '../../language/text'

/** Thread counts that are compared. */
export const THREADS = [1, 2, 4, 8] as const
/** How often each is measured. */
const ROUNDS = 3

/** Calls to the gateway. `wait` may return before the job ends. */
export interface Jobs {
  start: (body: string) => Promise<Job>
  wait: (id: string) => Promise<Job>
  abort: (id: string) => Promise<unknown>
}

/** One scan that has ended. */
export interface Measured {
  threads: number
  elapsedMs: number
  scanned: number
}

/** The medians of a thread count. */
export interface SpeedUpRow {
  threads: number
  /** scans measured */
  runs: number
  elapsedMs: number | undefined
  recordsPerSecond: number | undefined
  /** relative to one thread */
  speedUp: number | undefined
}

export interface SpeedUpState {
  phase: 'idle' | 'running' | 'done' | 'stopped' | 'failed'
  measured: readonly Measured[]
  /** total scans */
  scans: number
  /** the running scan */
  job: Job | undefined
  /** why it failed or, while it runs, could not be stopped */
  error: unknown
}

/** Thread counts in rounds, so that other work on the machine affects all of them alike. */
export const turns: readonly number[] = Array.from({ length: ROUNDS }, () => THREADS).flat()

const idle: SpeedUpState = { phase: 'idle', measured: [], scans: turns.length, job: undefined, error: undefined }

/** Runs one scan on one, two, four and eight threads in turn, as background jobs, and records their durations. */
export class SpeedUp {
  readonly #jobs: Jobs
  readonly #listeners = new Set<() => void>()
  #state = idle
  #stop: AbortController | undefined

  constructor(jobs: Jobs) {
    this.#jobs = jobs
  }

  readonly state = (): SpeedUpState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Stops the measurement and aborts its job. */
  readonly stop = (): void => {
    const own = this.#stop
    own?.abort()
    const { phase, job } = this.#state
    if (own !== undefined && phase === 'running' && job !== undefined) void this.#abort(job.id, own)
  }

  /** Starts again. `bodyOf` returns the request for a number of threads. */
  readonly start = async (bodyOf: (threads: number) => string): Promise<void> => {
    this.stop()
    const own = new AbortController()
    this.#stop = own
    const change = (part: Partial<SpeedUpState>): void => this.#change(own, part)
    change({ ...idle, phase: 'running' })
    const measured: Measured[] = []
    try {
      for (const threads of turns) {
        const job = await this.#run(bodyOf(threads), own)
        if (own.signal.aborted) break
        measured.push(measuredOf(job, threads))
        change({ measured: [...measured] })
      }
      change({ phase: own.signal.aborted ? 'stopped' : 'done', job: undefined, error: undefined })
    } catch (error) {
      change({ phase: 'failed', job: undefined, error })
    }
  }

  /** One scan, to its end. */
  async #run(body: string, own: AbortController): Promise<Job> {
    let job = await this.#jobs.start(body)
    this.#change(own, { job })
    // It was stopped before its job id was known.
    if (own.signal.aborted) await this.#abort(job.id, own)
    try {
      while (job.endedAt === undefined) {
        job = await this.#jobs.wait(job.id)
        this.#change(own, { job })
      }
    } catch (error) {
      // The job is abandoned; report the reason.
      await this.#jobs.abort(job.id).catch(() => undefined)
      throw error
    }
    return job
  }

  /** Aborts a scan. Reports a failure to abort only while the scan runs. */
  async #abort(id: string, own: AbortController): Promise<void> {
    try {
      await this.#jobs.abort(id)
    } catch (error) {
      if (this.#state.phase === 'running') this.#change(own, { error })
    }
  }

  /** Ignores updates of a measurement that was restarted. */
  #change(own: AbortController, part: Partial<SpeedUpState>): void {
    if (this.#stop !== own) return
    this.#state = { ...this.#state, ...part }
    for (const listener of this.#listeners) listener()
  }
}

/** A failed scan, with the code and message of its job. */
export class ScanFailed extends Error {
  override readonly name = 'ScanFailed'
  constructor(
    readonly code: string,
    message: string,
    readonly threads: number,
  ) {
    super(message)
  }
}

/** @throws ScanFailed unless the scan is done. */
function measuredOf(job: Job, threads: number): Measured {
  const { elapsedMs, scanned } = job.result ?? {}
  if (job.state !== 'done' || typeof elapsedMs !== 'number' || typeof scanned !== 'number') {
    throw new ScanFailed(
      job.error?.code ?? job.state,
      job.error === undefined
        ? t('the scan is {state}', { state: job.state })
        : serverText(job.error.message, job.error.said),
      threads,
    )
  }
  return { threads, elapsedMs, scanned }
}

/** One row per thread count, from the scans so far. */
export function speedUpRows(measured: readonly Measured[]): SpeedUpRow[] {
  const elapsed = (threads: number): number | undefined => median(of(threads).map(({ elapsedMs }) => elapsedMs))
  const of = (threads: number): Measured[] => measured.filter((one) => one.threads === threads)
  const alone = elapsed(1)
  return THREADS.map((threads) => {
    const elapsedMs = elapsed(threads)
    return {
      threads,
      runs: of(threads).length,
      elapsedMs,
      recordsPerSecond: median(of(threads).map((one) => (one.scanned * 1000) / one.elapsedMs)),
      speedUp: alone === undefined || elapsedMs === undefined ? undefined : alone / elapsedMs,
    }
  })
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? undefined : (low + high) / 2
}
