// Runs of experiments in a gateway: at most one at a time, and the finished ones.
import { join } from 'node:path'
import { Check } from 'typebox/value'
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'
import { isErrorCode } from '../error-table.js'
import { newId, ObjectFiles } from '../files/object-files.js'
import { type LabRequest, LabRun } from '../schemas/jobs/lab.js'
import { callerOf } from './caller.js'
import type { Experiment } from './experiment.js'
import { prefixOf } from './names.js'
import { reportOf } from './report.js'
import { english, say, saidOf, type Sentence } from '../sentences/sentence.js'

/** Most runs that are kept. */
const KEPT = 50

const progressOf = (says: Sentence, done: number): LabRun['progress'] => ({
  says: english(says),
  ...saidOf(says),
  done,
})

const isLabRun = (object: unknown): object is LabRun => Check(LabRun, object)

interface Going {
  run: LabRun
  stop: AbortController
  ended: Promise<void>
}

/** Fastify takes no call from the beginning of a close on, before any of our hooks hears of it. */
const REFUSED_CALLS = 'FST_ERR_REOPENED_CLOSE_SERVER'

export class LabRuns {
  readonly #app: App
  readonly #experiments: readonly Experiment[]
  readonly #history: ObjectFiles<LabRun>
  #ended: LabRun[] = []
  #going: Going | undefined
  #closing = false

  constructor(app: App, experiments: readonly Experiment[]) {
    this.#app = app
    this.#experiments = experiments
    this.#history = new ObjectFiles(join(app.config.dataDirectory, 'lab'), KEPT, isLabRun)
  }

  /**
   * Loads the saved runs. If the server stopped during a run, its namespaces are dropped once all
   * namespaces are open.
   */
  async open(settled: Promise<void>): Promise<void> {
    const { objects, damages } = await this.#history.load()
    this.#app.damagedFiles.tell('lab_damaged', 'runs of the lab are lost', damages)
    this.#ended = objects
    const cut = this.#ended.filter((run) => run.endedAt === undefined)
    if (cut.length === 0) return
    for (const run of cut) {
      run.state = 'failed'
      run.endedAt = new Date().toISOString()
      run.error = { code: 'aborted', message: english(say('the server stopped while the experiment ran')) }
    }
    settled
      .then(() => this.#sweep(cut))
      .catch((error: unknown) => this.#app.log.warn({ err: error }, 'namespaces of the lab could not be dropped'))
  }

  async #sweep(cut: readonly LabRun[]): Promise<void> {
    const api = callerOf(this.#app)
    const { items } = await api.call<{ items: { name: string }[] }>('GET', '/namespaces')
    for (const { name } of items) {
      if (cut.some((run) => name.startsWith(prefixOf(run.id))))
        await api.call('DELETE', `/namespaces/${name}`, undefined, name)
    }
    for (const run of cut) await this.#history.save(run)
  }

  /** Newest first. */
  list(): LabRun[] {
    return this.#going === undefined ? this.#ended : [this.#going.run, ...this.#ended]
  }

  /** @throws GatewayError `lab_run_not_found` */
  get(id: string): LabRun {
    const run = this.list().find((one) => one.id === id)
    if (run === undefined)
      throw new GatewayError('lab_run_not_found', say('the lab has no run "{id}"', { id: id.slice(0, 32) }))
    return run
  }

  /** @throws GatewayError `experiment_not_found`, `lab_busy` */
  async start({ experiment: wanted, scale = 'quick' }: LabRequest): Promise<LabRun> {
    const experiment = this.#experiments.find(({ id }) => id === wanted)
    if (experiment === undefined) {
      const message = say('there is no experiment "{name}"; use one of {names}', {
        name: wanted,
        names: this.#experiments.map(({ id }) => id).join(', '),
      })
      throw new GatewayError('experiment_not_found', message, { field: 'experiment' })
    }
    if (this.#going !== undefined) {
      throw new GatewayError(
        'lab_busy',
        say('the experiment {experiment} is running; wait for it to end, or abort it', {
          experiment: this.#going.run.experiment,
        }),
      )
    }
    const id = newId()
    const run: LabRun = {
      id,
      experiment: experiment.id,
      scale,
      state: 'running',
      startedAt: new Date().toISOString(),
      progress: progressOf(say('starting'), 0),
    }
    // Save it first, so that after a crash the namespaces can be assigned to their run.
    const kept = this.#history.save(run)
    const stop = new AbortController()
    const ended = kept.then(
      () => this.#follow(experiment, run, stop.signal),
      () => {
        this.#going = undefined
      },
    )
    this.#going = { run, stop, ended }
    await kept
    return run
  }

  /** Aborts a running run, or deletes one that ended. Returns the run as it was. */
  async remove(id: string): Promise<LabRun> {
    const run = this.get(id)
    if (run === this.#going?.run) {
      const before = { ...run }
      this.#going.stop.abort(new Error('aborted'))
      return before
    }
    this.#ended = this.#ended.filter((one) => one !== run)
    await this.#history.remove(id)
    return run
  }

  /** Aborts the running run and waits for its end. */
  async close(): Promise<void> {
    this.#closing = true
    this.#going?.stop.abort(new Error('aborted'))
    await this.#going?.ended
  }

  async #follow(experiment: Experiment, run: LabRun, signal: AbortSignal): Promise<void> {
    let outcome: Partial<LabRun>
    try {
      const report = await reportOf(experiment, {
        api: callerOf(this.#app),
        scale: run.scale,
        prefix: prefixOf(run.id),
        signal,
        progress: (says, done) => {
          run.progress = progressOf(says, done)
        },
      })
      outcome = { report, state: 'done', progress: progressOf(say('done'), 1) }
    } catch (error) {
      // A closing gateway refuses calls, so the namespaces stay. The next start drops them.
      const { code, message, said } = error as Error & { code?: string; said?: Sentence }
      if (this.#closing || this.#app.stop.begun || code === REFUSED_CALLS) return
      const failure = { code: isErrorCode(code) ? code : 'internal', message, ...saidOf(said) }
      outcome = signal.aborted ? { state: 'aborted' } : { state: 'failed', error: failure }
    }
    const ended: LabRun = { ...run, ...outcome, endedAt: new Date().toISOString() }
    try {
      // Save before reporting the end: a caller that sees it may delete the run, and no file must come after that.
      await this.#history.save(ended)
    } catch (error) {
      // A full disk must not lose the report that is in memory.
      this.#app.log.error({ err: error }, 'a run of the lab could not be saved')
    }
    this.#going = undefined
    this.#ended = [ended, ...this.#ended]
  }
}
