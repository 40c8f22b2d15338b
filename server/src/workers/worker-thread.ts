// One worker as the main thread has it: started, started again if it ends, and ended at last.
import type { FastifyBaseLogger } from 'fastify'
import { Worker } from 'node:worker_threads'
import type { CallsOfMain, CallsOfWorker, Start, WorkerFigures } from './calls.js'
import { NO_FIGURES } from './figures.js'
import { Line } from './line.js'

/** A worker that ends sooner is started again after this time, so that one that cannot start costs little. */
const PAUSE_MS = 1000
/** Its requests have ended after 3 s. */
const END_MS = 5000

export class WorkerThread {
  figures: WorkerFigures = NO_FIGURES
  readonly #entry: URL
  readonly #start: Start
  readonly #calls: CallsOfMain
  readonly #log: Pick<FastifyBaseLogger, 'error' | 'info'>
  readonly #onEnd: (figures: WorkerFigures) => void
  #line: Line<CallsOfWorker> | undefined
  #worker: Worker | undefined
  #closing = false
  #again: NodeJS.Timeout | undefined
  #listening: (() => void) | undefined

  constructor(
    entry: URL,
    start: Start,
    calls: (thread: WorkerThread) => CallsOfMain,
    log: Pick<FastifyBaseLogger, 'error' | 'info'>,
    onEnd: (figures: WorkerFigures) => void,
  ) {
    this.#entry = entry
    this.#start = start
    this.#calls = calls(this)
    this.#log = log
    this.#onEnd = onEnd
  }

  /** What leads to it; undefined while there is none. */
  get line(): Line<CallsOfWorker> | undefined {
    return this.#line
  }

  /**
   * Resolves when it listens.
   *
   * @throws what kept it from that
   */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#listening = resolve
      this.#run(reject)
    })
  }

  listens(): void {
    this.#listening?.()
    this.#listening = undefined
  }

  close(): void {
    this.#closing = true
    clearTimeout(this.#again)
    this.#line?.tell('close', undefined)
  }

  /** Resolves when it has ended. Whatever it does, that takes a few seconds at most. */
  async ended(): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return
    const late = setTimeout(() => void worker.terminate(), END_MS)
    await new Promise((resolve) => worker.once('exit', resolve))
    clearTimeout(late)
  }

  #run(failed: (error: unknown) => void): void {
    const beganMs = performance.now()
    const worker = new Worker(this.#entry, { workerData: this.#start, name: `worker ${this.#start.place + 1}` })
    const line = new Line<CallsOfWorker>(worker)
    line.hear({ ...this.#calls })
    let fault: unknown
    this.#worker = worker
    this.#line = line
    worker.on('error', (error) => {
      fault = error
    })
    worker.once('exit', (code) => {
      line.end()
      this.#worker = undefined
      this.#line = undefined
      this.#onEnd(this.figures)
      this.figures = NO_FIGURES
      if (this.#closing) return
      const { place } = this.#start
      if (this.#listening !== undefined) return failed(fault ?? new Error(`worker ${place + 1} ended with ${code}`))
      this.#log.error({ err: fault, worker: place + 1, code }, 'a worker has ended; its connections are closed')
      const pauseMs = performance.now() - beganMs < PAUSE_MS ? PAUSE_MS : 0
      this.#again = setTimeout(() => this.#run(failed), pauseMs)
    })
  }
}
