// Stores objects as `<id>.json` in a folder of the data directory, one file per object.
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Turns } from '../turns.js'
import { Home } from './home.js'

const FILE = /^[0-9a-z]{1,64}\.json$/

/** A new unique id. It begins with the time, so names sort by age. */
export function newId(): string {
  return `${Date.now().toString(36).padStart(9, '0')}${randomBytes(3).toString('hex')}`
}

export class ObjectFiles<T extends { id: string }> {
  readonly #folder: string
  readonly #kept: number
  readonly #home: Home
  /** Changes run in order, so a removed file does not come back. */
  readonly #turns = new Turns()

  /** Keeps the `kept` newest. */
  constructor(folder: string, kept: number) {
    this.#folder = folder
    this.#kept = kept
    this.#home = new Home(dirname(folder))
  }

  /** Newest first. Files that cannot be read as an object with that id are skipped. */
  async load(): Promise<T[]> {
    const objects: T[] = []
    for (const file of await this.#files()) {
      try {
        const object = JSON.parse(await readFile(join(this.#folder, file), 'utf8')) as T
        if (`${object.id}.json` === file) objects.push(object)
      } catch {
        // An unreadable file stays where it is.
      }
    }
    return objects.slice(0, this.#kept)
  }

  /**
   * Replaces the file of an object atomically, and removes the oldest files.
   *
   * @throws GatewayError `data_directory_unavailable` if another directory replaced ours
   */
  save(object: T): Promise<void> {
    const [path, text] = [this.#path(object.id), JSON.stringify(object)]
    return this.#turns.take(this.#folder, async () => {
      await this.#home.check()
      await mkdir(this.#folder, { recursive: true })
      await writeFile(`${path}.new`, text)
      await rename(`${path}.new`, path)
      for (const file of (await this.#files()).slice(this.#kept)) await rm(join(this.#folder, file), { force: true })
    })
  }

  remove(id: string): Promise<void> {
    return this.#turns.take(this.#folder, () => rm(this.#path(id), { force: true }))
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
