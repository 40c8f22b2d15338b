// Stores objects as `<id>.json` in a folder of the data directory, one file per object.
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { GatewayError } from '../errors.js'
import { Turns } from '../turns.js'
import { Home } from './home.js'
import { moveAside } from './keep-aside.js'
import { Damage, readRegular, Unreadable } from './read-file.js'
import { replaceFile } from './replace-file.js'
import { say } from '../sentences/sentence.js'

/** A larger file is not ours. */
const BYTES_MAX = 16 * 1024 * 1024
const FILE = /^[0-9a-z]{1,64}\.json$/

/** A new unique id. It begins with the time, so names sort by age. */
export function newId(): string {
  return `${Date.now().toString(36).padStart(9, '0')}${randomBytes(3).toString('hex')}`
}

export class ObjectFiles<T extends { id: string }> {
  readonly #folder: string
  readonly #kept: number
  readonly #isObject: (object: unknown) => object is T
  readonly #home: Home
  /** Changes run in order, so a removed file does not come back. */
  readonly #turns = new Turns()

  /** Keeps the `kept` newest. */
  constructor(folder: string, kept: number, isObject: (object: unknown) => object is T) {
    this.#folder = folder
    this.#isObject = isObject
    this.#kept = kept
    this.#home = new Home(dirname(folder))
  }

  /** The objects, newest first. What is damaged is renamed to `<id>.json.damaged`, or with a number, and told. */
  async load(): Promise<{ objects: T[]; damages: string[] }> {
    const objects: T[] = []
    const damages: string[] = []
    const files = await this.#files().catch((error: unknown) => {
      damages.push(`${this.#folder} cannot be read: ${(error as Error).message}`)
      return []
    })
    for (const file of files) {
      const { object, damage } = await this.#load(file, true)
      if (object !== undefined) objects.push(object)
      if (damage !== undefined) damages.push(damage)
    }
    return { objects: objects.slice(0, this.#kept), damages }
  }

  /**
   * One object, if it is there. What is damaged is treated as in `load`.
   *
   * @throws GatewayError `data_directory_unavailable` if it cannot be read now
   */
  read(id: string): Promise<{ object?: T; damage?: string }> {
    return this.#load(`${id}.json`, false)
  }

  /**
   * When each object was last saved, Unix milliseconds.
   *
   * @throws GatewayError `data_directory_unavailable` if the folder cannot be read
   */
  async written(): Promise<{ id: string; writtenMs: number }[]> {
    try {
      const times = (await this.#files()).map(async (file) => {
        const found = await stat(join(this.#folder, file)).catch(() => undefined)
        return { id: file.replace(/\.json$/, ''), writtenMs: found?.mtimeMs ?? 0 }
      })
      return await Promise.all(times)
    } catch (error) {
      throw new GatewayError(
        'data_directory_unavailable',
        say('{path} cannot be read: {why}', { path: this.#folder, why: (error as Error).message }),
      )
    }
  }

  /**
   * Replaces the file of an object atomically, and removes the oldest files.
   *
   * @throws GatewayError `data_directory_unavailable` if another directory replaced ours, or it cannot be written
   */
  save(object: T): Promise<void> {
    const [path, text] = [this.#path(object.id), JSON.stringify(object)]
    return this.#change(path, async () => {
      await mkdir(this.#folder, { recursive: true })
      await replaceFile(path, text).catch(async (error: unknown) => {
        // Its name is not used again, so nothing would take its place.
        await rm(`${path}.new`, { force: true })
        throw error
      })
      for (const file of (await this.#files()).slice(this.#kept)) await rm(join(this.#folder, file), { force: true })
    })
  }

  /** @throws GatewayError `data_directory_unavailable` as for `save` */
  remove(id: string): Promise<void> {
    const path = this.#path(id)
    return this.#change(path, () => rm(path, { force: true }))
  }

  #change(path: string, work: () => Promise<void>): Promise<void> {
    return this.#turns.take(this.#folder, async () => {
      await this.#home.check()
      await work().catch((error: unknown) => {
        throw new GatewayError(
          'data_directory_unavailable',
          say('{path} cannot be written: {why}', { path, why: (error as Error).message }),
        )
      })
    })
  }

  /** At the start, a file that cannot be read counts as damaged. */
  async #load(file: string, starts: boolean): Promise<{ object?: T; damage?: string }> {
    const path = join(this.#folder, file)
    try {
      const text = await readRegular(path, BYTES_MAX)
      return text === undefined ? {} : { object: this.#object(text, file) }
    } catch (error) {
      if (!(error instanceof Damage)) throw error
      if (error instanceof Unreadable && !starts)
        throw new GatewayError('data_directory_unavailable', say('{path}: {why}', { path, why: error.message }))
      return { damage: `${path} is damaged: ${error.message}${await moveAside(path)}` }
    }
  }

  /** @throws Damage */
  #object(text: string, file: string): T {
    const object = parse(text)
    if (!this.#isObject(object)) throw new Damage('its content is not what it should be')
    if (`${object.id}.json` !== file) throw new Damage('its id is not its name')
    return object
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`)
  }

  /** Newest first. */
  async #files(): Promise<string[]> {
    try {
      const names = await readdir(this.#folder)
      return names
        .filter((file) => FILE.test(file))
        .sort()
        .reverse()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Damage('it is no JSON')
  }
}
