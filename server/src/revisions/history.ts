// The revisions of one configuration: a file in a folder of its own, newest last. A write that fails is kept in memory.
import { join } from 'node:path'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { CheckedFile } from '../files/checked-file.js'
import { type ConfigRevision, revisionFacts } from '../schemas/namespaces/revisions.js'
import { changesBetween } from './changes.js'

/** Most revisions of one configuration. The oldest go. */
export const REVISIONS_MAX = 200
/** The folder of all revisions in the data directory. */
export const FOLDER = 'revisions'
const FILE = 'revisions.json'

export interface Noted {
  cause: ConfigRevision['cause']
  who: string
  reason?: string | undefined
  request?: string | undefined
  restored?: number
}

export interface Revision extends ConfigRevision {
  config: Record<string, unknown>
}

/** `of`: the folder, so that a file in the place of another one is noticed. */
const KEPT = Type.Object({
  of: Type.String(),
  revisions: Type.Array(Type.Object({ ...revisionFacts, config: Type.Record(Type.String(), Type.Unknown()) })),
})

interface Kept {
  of: string
  revisions: Revision[]
}

export interface HistoryOptions {
  dataDirectory: string
  /** A file that was damaged, in a sentence. */
  damaged: (message: string) => void
  warn: (error: unknown, message: string) => void
}

export class History {
  readonly #folder: string
  readonly #file: CheckedFile<Kept>
  readonly #options: HistoryOptions
  /** What the file is to have. */
  #unsaved: Revision[] | undefined
  /** That is only what came since the file could not be read: what is in it is still unknown. */
  #isUnread = false
  /** The newest one that was in the file, or is to be. */
  #newest = 0

  /** `folder`: of this configuration alone, in the folder of all revisions. */
  constructor(folder: string, options: HistoryOptions) {
    this.#folder = folder
    this.#file = new CheckedFile(options.dataDirectory, join(FOLDER, folder), FILE)
    this.#options = options
  }

  /** Oldest first. */
  async all(): Promise<readonly Revision[]> {
    if (this.#unsaved !== undefined) return this.#unsaved
    const found = await this.#load()
    const damage = found === undefined && this.#newest > 0 ? `${this.#file.path} is missing` : undefined
    if (damage !== undefined || (found !== undefined && 'damage' in found)) {
      this.#options.damaged(damage ?? (found as { damage: string }).damage)
      // The damage is told once.
      this.#unsaved = []
      this.#isUnread = true
      return []
    }
    const revisions = found?.body.revisions ?? []
    this.#newest = revisions.at(-1)?.number ?? 0
    return revisions
  }

  #load(): ReturnType<CheckedFile<Kept>['load']> {
    return this.#file.load((body): body is Kept => Check(KEPT, body) && body.of === this.#folder)
  }

  /** Behind those of the file, if it can be read again: it was out of reach, not damaged. */
  async #behindFound(revisions: Revision[]): Promise<Revision[]> {
    const found = await this.#load()
    if (found === undefined || 'damage' in found) return revisions
    this.#isUnread = false
    const last = found.body.revisions.at(-1)?.number ?? 0
    const behind = Math.max(0, last + 1 - (revisions[0]?.number ?? 0))
    const moved = revisions.map((revision) => ({ ...revision, number: revision.number + behind }))
    return [...found.body.revisions, ...moved].slice(-REVISIONS_MAX)
  }

  /** Adds a revision, unless the configuration is that of the newest one. A failing disk does not fail the change. */
  async add(config: object, noted: Noted): Promise<Revision | undefined> {
    const before = await this.all()
    const newest = before.at(-1)
    const changes = newest === undefined ? [] : changesBetween(newest.config, config)
    if (newest !== undefined && changes.length === 0) return undefined
    const at = new Date().toISOString()
    const number = (newest?.number ?? this.#newest) + 1
    const { cause, who, reason, request, restored } = noted
    const revision: Revision = {
      number,
      at,
      who,
      cause,
      ...(reason !== undefined && { reason }),
      ...(request !== undefined && { request }),
      ...(restored !== undefined && { restored }),
      changes,
      config: { ...config },
    }
    await this.#save([...before, revision].slice(-REVISIONS_MAX))
    return revision
  }

  async #save(revisions: Revision[]): Promise<void> {
    this.#unsaved = this.#isUnread ? await this.#behindFound(revisions) : revisions
    this.#newest = this.#unsaved.at(-1)?.number ?? 0
    try {
      await this.#file.save({ of: this.#folder, revisions: this.#unsaved })
      this.#unsaved = undefined
      this.#isUnread = false
    } catch (error) {
      this.#options.warn(error, 'a revision of a configuration is kept in memory until it can be written')
    }
  }
}
