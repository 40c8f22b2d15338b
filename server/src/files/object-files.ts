// Objects that outlive the process: `<id>.json` in a folder of the data directory, a file for each.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { GatewayError } from '../errors.js'

const FILE = /^[0-9a-z]{1,64}\.json$/

/** An id that nobody has: it begins with the time, so that names sort by it. */
export function newId(): string {
  return `${Date.now().toString(36).padStart(9, '0')}${randomBytes(3).toString('hex')}`
}

export class ObjectFiles<T extends { id: string }> {
  readonly #folder: string
  readonly #kept: number
  /** The data directory, as it was when this began. */
  readonly #home: string | undefined

  /** Keeps the `kept` newest. */
  constructor(folder: string, kept: number) {
    this.#folder = folder
    this.#kept = kept
    this.#home = identity(dirname(folder))
  }

  /** Newest first; what cannot be read as an object of its name is left out. */
  load(): T[] {
    return this.#files()
      .flatMap((file) => {
        try {
          const object = JSON.parse(readFileSync(join(this.#folder, file), 'utf8')) as T
          return `${object.id}.json` === file ? [object] : []
        } catch {
          return []
        }
      })
      .slice(0, this.#kept)
  }

  /**
   * Replaces the file of an object in one step, and removes those of the oldest.
   *
   * @throws GatewayError `data_directory_unavailable`: nothing is written into a directory that replaced ours
   */
  save(object: T): void {
    const home = dirname(this.#folder)
    if (this.#home !== undefined && identity(home) !== this.#home) {
      throw new GatewayError('data_directory_unavailable', `${home} is gone, or was replaced by another`)
    }
    mkdirSync(this.#folder, { recursive: true })
    const path = this.#path(object.id)
    writeFileSync(`${path}.new`, JSON.stringify(object))
    renameSync(`${path}.new`, path)
    for (const file of this.#files().slice(this.#kept)) rmSync(join(this.#folder, file), { force: true })
  }

  remove(id: string): void {
    rmSync(this.#path(id), { force: true })
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`)
  }

  /** Newest first. */
  #files(): string[] {
    try {
      return readdirSync(this.#folder)
        .filter((file) => FILE.test(file))
        .sort()
        .reverse()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }
}

/** The file system and number of a directory. */
function identity(directory: string): string | undefined {
  const found = statSync(directory, { throwIfNoEntry: false, bigint: true })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}
