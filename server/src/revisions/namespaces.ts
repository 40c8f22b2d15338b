// The revisions of the configurations of namespaces. A namespace is told by its name and the moment of its creation, so
// another one of its name begins anew, and a restored one has its revisions again.
import { createHash } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engines/engine.js'
import { GatewayError } from '../errors.js'
import { Turns } from '../turns.js'
import { FOLDER, History, type HistoryOptions, type Noted, type Revision } from './history.js'

/** What tells a namespace from all others, and its settings. */
export interface Configured {
  name: string
  createdAt: string
  config: object
}

const OUTSIDE: Noted = { cause: 'found', who: 'outside' }
/** The folder of a namespace: when it was made, and its name as a hash, because names may differ in case alone. */
const NAMED = /^[0-9a-z]+-([0-9a-f]{16})$/

export class NamespaceRevisions {
  readonly #options: HistoryOptions
  readonly #turns = new Turns()
  readonly #histories = new Map<string, History>()

  constructor(options: HistoryOptions) {
    this.#options = options
  }

  /** Notes what has changed while no gateway ran, and removes the revisions of namespaces that are gone. */
  async start(engine: Engine): Promise<void> {
    for (const namespace of await engine.namespaces()) {
      await this.inTurn(namespace.name, () => this.observe(namespace)).catch((error: unknown) =>
        this.#options.warn(error, `the revisions of ${namespace.name} cannot be read`),
      )
    }
    await this.sweep(engine)
  }

  /** One change of a namespace at a time, so that each revision has the author of its change. */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#turns.take(name, work)
  }

  /** Only in turn. Notes a configuration that nobody has noted. */
  async observe(namespace: Configured): Promise<void> {
    await this.note(namespace, OUTSIDE)
  }

  /** Only in turn. Notes the configuration as it is now, if it is another one. */
  async note(namespace: Configured, noted: Noted): Promise<void> {
    await this.#historyOf(namespace).add(namespace.config, noted)
  }

  /** Only in turn. Newest first. */
  async list(namespace: Configured): Promise<Revision[]> {
    await this.observe(namespace)
    return [...(await this.#historyOf(namespace).all())].reverse()
  }

  /**
   * Only in turn.
   *
   * @throws GatewayError `revision_not_found`
   */
  async get(namespace: Configured, number: number): Promise<Revision> {
    return foundIn(await this.list(namespace), number)
  }

  /** Only in turn. The same namespace was told otherwise before. */
  async moved(from: Omit<Configured, 'config'>, to: Configured): Promise<void> {
    const [old, now] = [folderOf(from), folderOf(to)]
    if (old === now) return
    const all = join(this.#options.dataDirectory, FOLDER)
    this.#histories.delete(old)
    await rename(join(all, old), join(all, now)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#options.warn(error, `the revisions of ${from.name} could not be given to ${to.name}`)
    })
  }

  /** Removes the revisions of namespaces that nothing brings back. Those that can come back keep theirs. */
  async sweep(engine: Engine): Promise<void> {
    const all = join(this.#options.dataDirectory, FOLDER)
    try {
      const [folders, here, dropped, orphans] = await Promise.all([
        readdir(all).catch(() => []),
        engine.namespaces(),
        engine.dropped(),
        engine.orphans(),
      ])
      const kept = new Set(here.map(folderOf))
      const names = [
        ...dropped.map(({ name }) => name),
        ...orphans.flatMap(({ namespace }) => namespace?.config.name ?? []),
      ]
      const comeBack = new Set(names.map(hashOf))
      for (const folder of folders) {
        const [, hash] = NAMED.exec(folder) ?? []
        if (hash === undefined || kept.has(folder) || comeBack.has(hash)) continue
        this.#histories.delete(folder)
        await rm(join(all, folder), { recursive: true, force: true })
      }
    } catch (error) {
      this.#options.warn(error, 'the revisions of dropped namespaces are still there')
    }
  }

  #historyOf(namespace: Omit<Configured, 'config'>): History {
    const folder = folderOf(namespace)
    const known = this.#histories.get(folder)
    if (known !== undefined) return known
    const made = new History(folder, this.#options)
    this.#histories.set(folder, made)
    return made
  }
}

/** @throws GatewayError `revision_not_found` */
export function foundIn(revisions: readonly Revision[], number: number): Revision {
  const found = revisions.find((revision) => revision.number === number)
  if (found !== undefined) return found
  const [newest, oldest] = [revisions[0]?.number ?? 0, revisions.at(-1)?.number ?? 0]
  const message = `there is no revision ${number}; there are ${oldest} to ${newest}`
  throw new GatewayError('revision_not_found', message, { field: 'revision' })
}

const hashOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 16)

const folderOf = ({ name, createdAt }: Omit<Configured, 'config'>): string =>
  `${Date.parse(createdAt).toString(36)}-${hashOf(name)}`
