// The revisions of the configurations of namespaces. A namespace is told by its id, so another one of its name begins
// anew, and a restored or migrated one goes on.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engines/engine.js'
import { GatewayError } from '../errors.js'
import { Turns } from '../turns.js'
import { FOLDER, History, type HistoryOptions, type Noted, type Revision } from './history.js'
import { say } from '../sentences/sentence.js'

/** A namespace and its settings. */
export interface Configured {
  id: string
  name: string
  config: object
}

const OUTSIDE: Noted = { cause: 'found', who: 'outside' }
/** The folder of a namespace is its id. */
const ID = /^[0-9a-f]{32}$/

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
      // An orphan may not know the id that it had.
      if (orphans.length > 0) return
      const kept = new Set([...here.map(({ id }) => id), ...dropped.map(({ namespaceId }) => namespaceId)])
      for (const folder of folders.filter((name) => ID.test(name) && !kept.has(name))) {
        this.#histories.delete(folder)
        await rm(join(all, folder), { recursive: true, force: true })
      }
    } catch (error) {
      this.#options.warn(error, 'the revisions of dropped namespaces are still there')
    }
  }

  #historyOf({ id }: Configured): History {
    const known = this.#histories.get(id)
    if (known !== undefined) return known
    const made = new History(id, this.#options)
    this.#histories.set(id, made)
    return made
  }
}

/** @throws GatewayError `revision_not_found` */
export function foundIn(revisions: readonly Revision[], number: number): Revision {
  const found = revisions.find((revision) => revision.number === number)
  if (found !== undefined) return found
  const [newest, oldest] = [revisions[0]?.number ?? 0, revisions.at(-1)?.number ?? 0]
  const message = say('there is no revision {number}; there are {oldest} to {newest}', { number, oldest, newest })
  throw new GatewayError('revision_not_found', message, { field: 'revision' })
}
