// The queries that callers have open in the console: `queries/open/<id of the caller>.json` in the data directory. They
// stay on the disk, because all of them together may be large.
import { join } from 'node:path'
import { Check } from 'typebox/value'
import { GatewayError } from '../errors.js'
import { ObjectFiles } from '../files/object-files.js'
import { configEtag, requireMatch } from '../requests/etag.js'
import { OpenQueries, type OpenQueriesSpec } from '../schemas/records/open-queries.js'
import { say } from '../sentences/sentence.js'
import { Turns } from '../turns.js'

/** Most callers whose queries are kept. */
const MOST = 1000
/** If all places are taken, the queries of a caller who has changed none for so long give way. */
const UNUSED_MS = 90 * 24 * 3_600_000

const isKept = (object: unknown): object is OpenQueries => Check(OpenQueries, object)

export const etagOf = (queries: OpenQueries): string => configEtag(queries)

export class OpenQueriesOfCallers {
  readonly #files: ObjectFiles<OpenQueries>
  readonly #tell: (damages: string[]) => void
  readonly #most: number
  /** One after the other for each caller, so that an ETag still holds when the file is written. */
  readonly #turns = new Turns()

  /** `tell`: what is damaged; it is set aside. */
  constructor(dataDirectory: string, tell: (damages: string[]) => void, most = MOST) {
    this.#files = new ObjectFiles(join(dataDirectory, 'queries', 'open'), Infinity, isKept)
    this.#tell = tell
    this.#most = most
  }

  get(caller: string): Promise<OpenQueries> {
    return this.#turns.take(caller, () => this.#read(caller))
  }

  /**
   * @throws GatewayError `if_match_invalid`, `precondition_failed`, `field_invalid` for a key that two queries have,
   * `open_queries_limit`, `data_directory_unavailable`
   */
  replace(caller: string, { items }: OpenQueriesSpec, ifMatch: string | undefined): Promise<OpenQueries> {
    checkKeys(items)
    return this.#turns.take(caller, async () => {
      const before = await this.#read(caller)
      requireMatch(ifMatch, etagOf(before))
      // Two who are new at the same time could both take the last place.
      if (before.revision === 0) return this.#turns.take('', () => this.#begin(caller, items))
      return this.#write(caller, before.revision + 1, items)
    })
  }

  /** @throws GatewayError `data_directory_unavailable` */
  forget(caller: string): Promise<void> {
    return this.#turns.take(caller, () => this.#files.remove(caller))
  }

  async #begin(caller: string, items: OpenQueries['items']): Promise<OpenQueries> {
    await this.#makeRoom()
    return this.#write(caller, 1, items)
  }

  async #write(id: string, revision: number, items: OpenQueries['items']): Promise<OpenQueries> {
    const queries = { id, revision, updatedAt: new Date().toISOString(), items }
    await this.#files.save(queries)
    return queries
  }

  async #read(caller: string): Promise<OpenQueries> {
    const { object, damage } = await this.#files.read(caller)
    if (damage !== undefined) this.#tell([damage])
    return object ?? { id: caller, revision: 0, items: [] }
  }

  /** @throws GatewayError `open_queries_limit` */
  async #makeRoom(): Promise<void> {
    const kept = await this.#files.written()
    if (kept.length < this.#most) return
    const [oldest] = kept.toSorted((a, b) => a.writtenMs - b.writtenMs)
    if (oldest === undefined || Date.now() - oldest.writtenMs < UNUSED_MS)
      throw new GatewayError(
        'open_queries_limit',
        say('open queries of {most, number} callers are kept; remove users and API tokens that are no longer needed', {
          most: this.#most,
        }),
      )
    await this.#files.remove(oldest.id)
  }
}

function checkKeys(items: OpenQueries['items']): void {
  const keys = new Set<string>()
  for (const { key } of items) {
    if (keys.has(key))
      throw new GatewayError('field_invalid', say('two queries have the key "{key}"', { key }), { field: 'items' })
    keys.add(key)
  }
}
