// Clients that write, read and delete keys of their own, and compare every answer with the model.
import type { Random } from '../gateway/random.ts'
import { binsOf, type Entry, type Model, nextVersion, type Version } from './model.ts'
import type { Report } from './report.ts'
import type { Answer, Running, Server } from './server.ts'

export const SET = 'chaos'

export interface Space {
  readonly name: string
  readonly storage: Record<string, unknown>
  /** Whether its records outlive the process. */
  readonly lasts: boolean
  readonly model: Model
}

export const recordsOf = (space: string): string => `/api/v1/namespaces/${space}/sets/${SET}/records`

/** Refusals that say that nothing has changed, and that a server may give for what is done to it here. */
export const REFUSALS = new Set(['closed', 'device_full', 'device_overload', 'memory_busy', 'overloaded', 'starting'])

interface Change {
  readonly key: string
  readonly entry: Entry
  readonly version: Version
}

interface BatchReport {
  rejected: { line: number; code: string }[]
  written: number
  deleted: number
}

export class Client {
  readonly #server: Server
  readonly #random: Random
  readonly #report: Report
  readonly #keys: readonly { space: Space; key: string; keys: readonly string[] }[]
  #seen = 0

  constructor(server: Server, random: Random, report: Report, spaces: readonly Space[], number: number, keys: number) {
    this.#server = server
    this.#random = random
    this.#report = report
    this.#keys = spaces.flatMap((space) => {
      const all = Array.from({ length: keys }, (_, n) => `${number}-${n}`)
      return all.map((key) => ({ space, key, keys: all }))
    })
  }

  async run(isOver: () => boolean): Promise<void> {
    for (;;) {
      const running = await this.#server.ready(isOver)
      if (running === undefined || isOver()) return
      this.#meet(running)
      const { space, key, keys } = this.#random.of(this.#keys)
      const dice = this.#random.below(100)
      if (dice < 8) await this.#batch(running, space, this.#some(keys))
      else if (dice < 50) await this.#put(running, space, key)
      else if (dice < 60) await this.#delete(running, space, key)
      else if (dice < 65) await this.#readMany(running, space, this.#some(keys))
      else await this.read(running, space, key)
    }
  }

  /** Reads all keys once more: nothing is open after that. */
  async readAll(running: Running): Promise<void> {
    this.#meet(running)
    for (const { space, key } of this.#keys) await this.read(running, space, key)
  }

  #some(keys: readonly string[]): string[] {
    return Array.from(new Set(Array.from({ length: 10 }, () => this.#random.of(keys))))
  }

  /** In a new process nothing of the old one comes true any more. */
  #meet({ number }: Running): void {
    if (this.#seen === number) return
    this.#seen = number
    for (const { space, key } of this.#keys) {
      const entry = space.model.entry(key)
      if (entry.heldIn !== undefined && entry.heldIn < number) entry.heldIn = undefined
    }
  }

  #put(running: Running, space: Space, key: string): Promise<void> {
    return this.#change(running, space, [key], true, (version) =>
      running.ask('PUT', `${recordsOf(space.name)}/${key}`, JSON.stringify(binsOf(version.n, space.lasts))),
    )
  }

  #delete(running: Running, space: Space, key: string): Promise<void> {
    return this.#change(running, space, [key], false, () => running.ask('DELETE', `${recordsOf(space.name)}/${key}`))
  }

  async #change(
    running: Running,
    space: Space,
    keys: readonly string[],
    there: boolean,
    ask: (version: Version) => Promise<Answer>,
  ): Promise<void> {
    const [change] = this.#begin(space, keys, () => there)
    if (change === undefined) return
    const answer = await ask(change.version).catch(() => undefined)
    if (answer === undefined) return this.#unanswered(running, [change])
    const isDone = answer.status < 300 || (!there && answer.status === 404)
    // A delete that finds nothing is right only if there may be nothing.
    if (answer.status === 404 && !this.#mayBeAbsent(change)) {
      this.#report.fault(`${space.name}: DELETE of ${change.key} found nothing of ${change.entry.known.n}`)
    }
    if (isDone) return this.#acknowledged(running, space, [change])
    this.#refused(running, answer, [change])
  }

  #mayBeAbsent({ entry }: Change): boolean {
    return !entry.known.there || entry.open.some((one) => !one.there)
  }

  /** Several keys at once; with luck as one change. */
  async #batch(running: Running, space: Space, keys: readonly string[]): Promise<void> {
    const changes = this.#begin(space, keys, () => this.#random.below(4) > 0)
    if (changes.length === 0) return
    const lines = changes.map(({ key, version: { n, there } }) =>
      JSON.stringify(there ? { key, bins: binsOf(n, space.lasts) } : { key, op: 'delete' }),
    )
    const isAtomic = this.#random.below(2) === 0
    const path = `${recordsOf(space.name)}${isAtomic ? '?atomic=batch' : ''}`
    const answer = await running
      .ask('POST', path, `${lines.join('\n')}\n`, 'application/x-ndjson')
      .catch(() => undefined)
    if (answer === undefined) return this.#unanswered(running, changes)
    if (answer.status !== 200 && answer.status !== 422) return this.#refused(running, answer, changes)
    const { rejected, written, deleted } = JSON.parse(answer.body) as BatchReport
    const codes = new Map(rejected.map(({ line, code }) => [line, code]))
    const [refused, kept] = [changes.filter((_, n) => codes.has(n + 1)), changes.filter((_, n) => !codes.has(n + 1))]
    for (const [n, change] of changes.entries()) {
      const code = codes.get(n + 1)
      if (code !== undefined) this.#refusedAs(running, code, `a line of a batch`, [change])
    }
    // A batch that is atomic as far as can be told before its first write: a disk that fills up meanwhile cannot.
    const isPart = isAtomic && refused.length > 0 && written + deleted > 0
    if (isPart) this.#report.count('atomic batches that a full disk cut off')
    if (isAtomic && refused.length > 0 && !isPart) for (const { entry } of kept) entry.isChanging = false
    else this.#acknowledged(running, space, kept)
  }

  #begin(space: Space, keys: readonly string[], there: () => boolean): Change[] {
    return keys.flatMap((key) => {
      const entry = space.model.entry(key)
      if (entry.heldIn !== undefined) {
        this.#report.count('changes left out, as one before has no answer')
        return []
      }
      entry.isChanging = true
      return [{ key, entry, version: nextVersion(there()) }]
    })
  }

  #acknowledged(running: Running, space: Space, changes: readonly Change[]): void {
    this.#report.count(`writes acknowledged, ${space.name}`, changes.length)
    // What only memory holds may have gone before the answer was read.
    const isGone = !space.lasts && !running.isAlive
    for (const { entry, version } of changes) {
      entry.isChanging = false
      entry.known = isGone ? nextVersion(false) : version
      entry.open = []
    }
  }

  #unanswered(running: Running, changes: readonly Change[]): void {
    this.#report.count('writes without an answer', changes.length)
    this.#leaveOpen(running, changes)
  }

  #leaveOpen(running: Running, changes: readonly Change[]): void {
    for (const { entry, version } of changes) {
      entry.isChanging = false
      entry.open.push(version)
      entry.heldIn = running.number
    }
  }

  #refused(running: Running, { status, body }: Answer, changes: readonly Change[]): void {
    const { code } = JSON.parse(body) as { code?: string }
    this.#refusedAs(running, code ?? String(status), body, changes)
  }

  #refusedAs(running: Running, code: string, body: string, changes: readonly Change[]): void {
    this.#report.count(`refused: ${code}`, changes.length)
    if (code === 'write_uncertain') return this.#leaveOpen(running, changes)
    for (const { entry } of changes) entry.isChanging = false
    if (!REFUSALS.has(code)) this.#report.fault(`a change was refused: ${body}`)
  }

  async read(running: Running, space: Space, key: string): Promise<void> {
    const answer = await running.ask('GET', `${recordsOf(space.name)}/${key}`).catch(() => undefined)
    if (answer === undefined || (!space.lasts && this.#server.now !== running)) return
    if (answer.status === 200) {
      this.#compare(space, key, (JSON.parse(answer.body) as { bins: Record<string, unknown> }).bins)
    } else if (answer.status === 404 && answer.body.includes('record_not_found')) this.#compare(space, key, undefined)
    else this.#unread(answer)
  }

  #compare(space: Space, key: string, bins: Record<string, unknown> | undefined): void {
    this.#report.count('reads compared')
    const fault = space.model.read(key, bins)
    if (fault !== undefined) this.#report.fault(`${space.name}: ${fault}`)
  }

  #unread({ status, body }: Answer): void {
    const { code = String(status) } = JSON.parse(body) as { code?: string }
    this.#report.count(`reads refused: ${code}`)
    if (code !== 'write_uncertain' && !REFUSALS.has(code)) this.#report.fault(`a read was refused: ${body}`)
  }

  async #readMany(running: Running, space: Space, keys: readonly string[]): Promise<void> {
    const path = `/api/v1/namespaces/${space.name}/sets/${SET}/read`
    const answer = await running.ask('POST', path, JSON.stringify(keys)).catch(() => undefined)
    if (answer === undefined || (!space.lasts && this.#server.now !== running)) return
    if (answer.status !== 200) return this.#unread(answer)
    const rows = answer.body.split('\n').filter((line) => line !== '')
    for (const row of rows) {
      const { key, bins, error } = JSON.parse(row) as { key: string; bins?: Record<string, unknown>; error?: unknown }
      if (error !== undefined) this.#report.count('reads that a stop ended')
      else this.#compare(space, key, bins)
    }
  }
}
