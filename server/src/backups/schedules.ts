// Backups by schedule: `schedules/backups.json` in the data directory. One change of a namespace's schedule at a time.
import { type Clock, iso } from '../alerts/clock.js'
import type { Engine } from '../engines/engine.js'
import { isFormer } from '../auth/former.js'
import { GatewayError, toFailure } from '../errors.js'
import { CheckedFile } from '../files/checked-file.js'
import type { BackupSchedule, ScheduleSettings } from '../schemas/namespaces/backup-schedules.js'
import type { Job } from '../schemas/jobs/jobs.js'
import type { GatewayNotice } from '../schemas/server/gateway.js'
import { Turns } from '../turns.js'
import { baseOf, chainsOf, surplusOf } from './chains.js'
import { nextAfter } from './schedule-times.js'
import { say, saidOf, type Sentence } from '../sentences/sentence.js'

/** Between two looks at what is due. */
const LOOK_MS = 30_000
/** A backup that is due for longer was missed. */
const LATE_MS = 300_000
/** Of one wait for a job. */
const WAIT_MS = 60_000

interface Entry extends Required<Omit<ScheduleSettings, 'target'>> {
  /** The bucket; undefined: the directory. */
  target?: string
  namespace: string
  /** Unset: it was kept before there were ids. */
  namespaceId?: string
  nextMs: number
  /** Ids, oldest first. */
  made: string[]
  lastMs?: number
  lastFailure?: { code: string; message: string; said?: Sentence } | undefined
  missedMs?: number
}

interface Options {
  dataDirectory: string
  clock: Clock
  warn: (error: unknown, message: string) => void
}

export class BackupSchedules {
  readonly #file: CheckedFile<Entry[]>
  readonly #options: Options
  readonly #turns = new Turns()
  readonly #entries = new Map<string, Entry>()
  #running = Promise.resolve()
  #engine: Engine | undefined
  #damage: GatewayNotice | undefined
  #callOff: (() => void) | undefined

  constructor(options: Options) {
    this.#options = options
    this.#file = new CheckedFile(options.dataDirectory, 'schedules', 'backups.json')
  }

  async start(engine: Engine): Promise<void> {
    const found = await this.#file.load(isKept)
    if (found !== undefined && 'damage' in found) {
      const message = `no namespace is backed up by schedule until schedules are set again: ${found.damage}`
      this.#damage = { code: 'backup_schedules_damaged', message, since: iso(this.#options.clock.now()) }
      this.#options.warn(new Error(found.damage), 'the schedules of backups are damaged')
    }
    for (const entry of found !== undefined && 'body' in found ? found.body : [])
      this.#entries.set(entry.namespace, entry)
    this.#engine = engine
    this.#look()
  }

  close(): void {
    this.#callOff?.()
    this.#engine = undefined
  }

  notices(): GatewayNotice[] {
    return this.#damage === undefined ? [] : [this.#damage]
  }

  /** Those of namespaces that exist, by name: of a dropped one the schedule ends with its next turn. */
  list(): BackupSchedule[] {
    return [...this.#entries.values()]
      .filter((entry) => this.#engine !== undefined && isOfNow(this.#engine, entry))
      .map(shown)
      .toSorted((a, b) => (a.namespace < b.namespace ? -1 : 1))
  }

  /** @throws GatewayError `schedule_not_found` */
  get(namespace: string): BackupSchedule {
    return shown(this.#found(namespace))
  }

  /** @throws GatewayError `data_directory_unavailable`; `namespace_not_found`; those of a `target` that cannot be read */
  async set(engine: Engine, namespace: string, settings: ScheduleSettings): Promise<BackupSchedule> {
    // Else nobody is told before the first run. It may take a while, so nobody waits behind it.
    if (settings.target !== undefined) await engine.backups(settings.target)
    return this.#turns.take(namespace, async () => {
      await engine.namespace(namespace)
      const { everyHours, at = '00:00', fullEvery = 7, keepFull = 4, target } = settings
      const kept = this.#entries.get(namespace)
      const before = kept !== undefined && isFormer(engine, kept) ? undefined : kept
      const nextMs = nextAfter(this.#options.clock.now(), everyHours, at)
      // What was made in another target stays there.
      const { target: _, ...stays } =
        before !== undefined && before.target === target ? before : { ...before, made: [] }
      const where = target !== undefined && { target }
      const { id: namespaceId } = engine.tenureOf(namespace)
      const entry = { ...stays, namespace, namespaceId, everyHours, at, fullEvery, keepFull, nextMs, ...where }
      await this.#save(namespace, entry)
      this.#damage = undefined
      return shown(entry)
    })
  }

  /** @throws GatewayError `data_directory_unavailable`, `schedule_not_found` */
  remove(namespace: string): Promise<BackupSchedule> {
    return this.#turns.take(namespace, async () => {
      const entry = this.#found(namespace)
      await this.#save(namespace, undefined)
      return shown(entry)
    })
  }

  /** A namespace was dropped: another one of its name has a schedule of its own, and other backups. */
  async forget(namespace: string): Promise<void> {
    if (!this.#entries.has(namespace)) return
    try {
      await this.#turns.take(namespace, () => this.#save(namespace, undefined))
    } catch (error) {
      // Nobody waits for it: the next look at what is gone removes it.
      this.#options.warn(error, `the schedule of ${namespace} could not be removed`)
    }
  }

  /** Resolves when what is due now has been done: for tests. */
  async settled(): Promise<void> {
    await this.#running
  }

  #found(namespace: string): Entry {
    const entry = this.#entries.get(namespace)
    if (entry === undefined || (this.#engine !== undefined && isFormer(this.#engine, entry)))
      throw new GatewayError('schedule_not_found', say('the namespace "{namespace}" has no schedule', { namespace }))
    return entry
  }

  /** What cannot be written does not hold. */
  async #save(namespace: string, entry: Entry | undefined): Promise<void> {
    const next = new Map(this.#entries)
    if (entry === undefined) next.delete(namespace)
    else next.set(namespace, entry)
    await this.#file.save([...next.values()])
    if (entry === undefined) this.#entries.delete(namespace)
    else this.#entries.set(namespace, entry)
  }

  /** One backup after the other, and then another look. */
  #look(): void {
    this.#running = this.#lookOnce()
  }

  async #lookOnce(): Promise<void> {
    try {
      await this.#runDue()
    } catch (error) {
      this.#options.warn(error, 'a backup by schedule failed')
    }
    if (this.#engine !== undefined) this.#callOff = this.#options.clock.after(LOOK_MS, () => this.#look())
  }

  async #runDue(): Promise<void> {
    for (const entry of this.#entries.values()) {
      const { namespace, nextMs } = entry
      const engine = this.#engine
      if (engine === undefined) return
      // A schedule ends with its namespace.
      if (!isOfNow(engine, entry)) await this.forget(namespace)
      else if (nextMs <= this.#options.clock.now()) await this.#run(engine, namespace)
    }
  }

  async #run(engine: Engine, namespace: string): Promise<void> {
    const now = this.#options.clock.now()
    await this.#change(namespace, (entry) => ({
      ...entry,
      lastFailure: undefined,
      nextMs: nextAfter(now, entry.everyHours, entry.at),
      lastMs: now,
      ...(now - entry.nextMs > LATE_MS && { missedMs: entry.nextMs }),
    }))
    try {
      const id = await this.#backUp(engine, this.#found(namespace))
      await this.#change(namespace, (entry) => ({ ...entry, made: [...entry.made, id] }))
      await this.#prune(engine, namespace)
    } catch (error) {
      // The server stops: the job was called off with it.
      if (this.#engine === undefined) return
      const { code, message, said } = toFailure(error)
      this.#options.warn(error, `the backup of ${namespace} by schedule failed`)
      await this.#change(namespace, (entry) => ({ ...entry, lastFailure: { code, message, ...saidOf(said) } }))
    }
  }

  /** The id of a complete backup. */
  async #backUp(engine: Engine, { namespace, made, fullEvery, target }: Entry): Promise<string> {
    const base = baseOf(chainsOf(made, await engine.backups(target)), fullEvery)
    const where = target !== undefined && { target }
    const begun = await engine
      .startBackup(namespace, { ...where, ...(base !== undefined && { base }) })
      .catch((error: unknown) => {
        // Whatever is wrong with the base, a full backup needs none.
        if (base === undefined || !BASE_FAULTS.has(toFailure(error).code)) throw error
        return engine.startBackup(namespace, { ...where })
      })
    engine.attributeJob(begun.id, 'schedule')
    const id = String(begun.parameters['backup'])
    const job = await ended(engine, begun)
    if (job.state === 'done') return id
    // The next one begins anew.
    await engine.removeBackup(id, target).catch(() => undefined)
    throw new GatewayError(
      'aborted',
      job.error?.said ?? job.error?.message ?? say('the job has ended: {state}', { state: job.state }),
    )
  }

  /** Chains that are too many go, now that a newer one is complete. */
  async #prune(engine: Engine, namespace: string): Promise<void> {
    const { made, keepFull, target } = this.#found(namespace)
    for (const id of surplusOf(made, chainsOf(made, await engine.backups(target)), keepFull)) {
      try {
        await engine.removeBackup(id, target)
      } catch (error) {
        // Somebody has built on it, or reads it: it is tried again with the next run. Others go.
        if (toFailure(error).code !== 'backup_not_found') continue
      }
      await this.#change(namespace, (entry) => ({ ...entry, made: entry.made.filter((other) => other !== id) }))
    }
  }

  #change(namespace: string, change: (entry: Entry) => Entry): Promise<void> {
    return this.#turns.take(namespace, async () => {
      const entry = this.#entries.get(namespace)
      if (entry !== undefined) await this.#save(namespace, change(entry))
    })
  }
}

const BASE_FAULTS: ReadonlySet<string> = new Set([
  'backup_base_invalid',
  'backup_damaged',
  'backup_not_found',
  'backup_unfinished',
])

const ENDED: ReadonlySet<Job['state']> = new Set(['done', 'failed', 'aborted'])

async function ended(engine: Engine, begun: Job): Promise<Job> {
  let job = begun
  while (!ENDED.has(job.state)) job = await engine.waitJob(job.id, WAIT_MS)
  return job
}

/** Whether its namespace is there. */
const isOfNow = (engine: Engine, entry: Entry): boolean =>
  engine.tenureOf(entry.namespace).id !== '' && !isFormer(engine, entry)

function shown(entry: Entry): BackupSchedule {
  const { nextMs, lastMs, lastFailure, missedMs, made, namespaceId: _, ...rest } = entry
  const last = made.at(-1)
  return {
    ...rest,
    nextAt: iso(nextMs),
    ...(lastMs !== undefined && { lastAt: iso(lastMs) }),
    ...(last !== undefined && { lastBackup: last }),
    ...(lastFailure !== undefined && { lastFailure }),
    ...(missedMs !== undefined && { missedAt: iso(missedMs) }),
    backups: made,
  }
}

function isKept(body: unknown): body is Entry[] {
  return Array.isArray(body) && body.every(isEntry)
}

function isEntry(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { namespace, everyHours, at, fullEvery, keepFull, nextMs, made, target } = value as Partial<Entry>
  const numbers = [everyHours, fullEvery, keepFull, nextMs].every((number) => typeof number === 'number' && number > 0)
  const texts = [namespace, at, target ?? ''].every((part) => typeof part === 'string')
  return numbers && texts && Array.isArray(made) && made.every((id) => typeof id === 'string')
}
