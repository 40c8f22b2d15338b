// Saved queries: `queries/<id>.json` in the data directory.
import { join } from 'node:path'
import { Check } from 'typebox/value'
import { type Ids, isFormer } from '../auth/former.js'
import { GatewayError } from '../errors.js'
import { newId, ObjectFiles } from '../files/object-files.js'
import { parseStrictJson } from '../json/strict.js'
import { checkTitle } from '../requests/title.js'
import { Turns } from '../turns.js'
import { SavedQuery, type SavedQueryRequest } from '../schemas/records/queries.js'
import { say } from '../sentences/sentence.js'

/** Most queries that can be saved. */
const MOST = 500

type Checked = (item: SavedQuery) => void

const isSavedQuery = (object: unknown): object is SavedQuery => Check(SavedQuery, object)

export class SavedQueries {
  readonly #files: ObjectFiles<SavedQuery>
  readonly #ids: Ids
  /** One change at a time, so that the checks still hold when the file is written. */
  readonly #turns = new Turns()
  /** Newest first. */
  #items: SavedQuery[] = []

  constructor(dataDirectory: string, ids: Ids) {
    this.#ids = ids
    this.#files = new ObjectFiles(join(dataDirectory, 'queries'), MOST, isSavedQuery)
  }

  /** Returns what is damaged; it is set aside. */
  async load(): Promise<string[]> {
    const { objects, damages } = await this.#files.load()
    this.#items = objects
    return damages
  }

  list(): readonly SavedQuery[] {
    return this.#items
  }

  /** @throws GatewayError `query_not_found` */
  get(id: string): SavedQuery {
    const found = this.#items.find((item) => item.id === id)
    if (found === undefined) throw queryNotFound(id)
    return found
  }

  /** @throws GatewayError `query_exists`, `query_limit`, and the errors of a request that is not a JSON object */
  add(wanted: SavedQueryRequest, who: string): Promise<SavedQuery> {
    return this.#change(async () => {
      checkTitle(wanted.name)
      checkRequest(wanted.request)
      this.#checkName(wanted)
      if (this.#items.length >= MOST)
        throw new GatewayError(
          'query_limit',
          say('all {most, number} saved queries are in use; delete one you no longer need', { most: MOST }),
        )
      const now = new Date().toISOString()
      const namespaceId = this.#ids.tenureOf(wanted.namespace).id
      const item: SavedQuery = { id: newId(), ...wanted, namespaceId, createdAt: now, updatedAt: now, who }
      await this.#files.save(item)
      this.#items = [item, ...this.#items]
      return item
    })
  }

  /**
   * @throws GatewayError `query_not_found`, `query_exists`, the errors of `check` on the stored query, and of a
   * request that is not a JSON object
   */
  replace(id: string, wanted: SavedQueryRequest, who: string, check: Checked): Promise<SavedQuery> {
    return this.#change(async () => {
      const before = this.get(id)
      check(before)
      checkTitle(wanted.name)
      checkRequest(wanted.request)
      // Two of an older server may share a name; each can still be changed.
      const moves = wanted.namespace !== before.namespace || isFormer(this.#ids, before)
      if (moves || wanted.name !== before.name) this.#checkName(wanted)
      const namespaceId = this.#ids.tenureOf(wanted.namespace).id
      const item: SavedQuery = { ...before, ...wanted, namespaceId, updatedAt: new Date().toISOString(), who }
      await this.#files.save(item)
      this.#items = this.#items.map((other) => (other === before ? item : other))
      return item
    })
  }

  /** @throws GatewayError `query_not_found`, and the errors of `check` on the stored query */
  remove(id: string, check: Checked): Promise<SavedQuery> {
    return this.#change(async () => {
      const item = this.get(id)
      check(item)
      await this.#files.remove(id)
      this.#items = this.#items.filter((other) => other !== item)
      return item
    })
  }

  /** A reader tells queries apart by name and namespace. Those of a former one of its name are not seen by all readers. */
  #checkName({ name, namespace }: SavedQueryRequest): void {
    const same = (item: SavedQuery): boolean => item.name === name && item.namespace === namespace
    if (this.#items.some((item) => same(item) && !isFormer(this.#ids, item)))
      throw new GatewayError(
        'query_exists',
        say('a query of "{namespace}" is saved as "{name}"', { namespace, name }),
        {
          field: 'name',
        },
      )
  }

  #change(work: () => Promise<SavedQuery>): Promise<SavedQuery> {
    return this.#turns.take('', work)
  }
}

export const queryNotFound = (id: string): GatewayError =>
  new GatewayError('query_not_found', say('there is no saved query "{id}"', { id: id.slice(0, 32) }), { field: 'id' })

/**
 * Checks only that it is a JSON object. The rest is checked when it runs, so a query can be saved
 * before its set exists.
 */
function checkRequest(text: string): void {
  const value = parseStrictJson(Buffer.from(text))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new GatewayError('field_invalid', say('request must be a JSON object as text'), { field: 'request' })
}
