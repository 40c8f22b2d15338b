// A JSON file with its own checksum: replaced atomically, and noticed if it is damaged.
import { createHash } from 'node:crypto'
import { link, lstat, mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { GatewayError } from '../errors.js'
import { Home } from './home.js'
import { Turns } from '../turns.js'

const VERSION = 1
/** A larger file is not ours. */
const BYTES_MAX = 16 * 1024 * 1024
/** Most damaged copies that are kept. */
const COPIES_MAX = 9

export type Loaded<T> = { body: T } | { damage: string } | undefined

export class CheckedFile<T> {
  readonly path: string
  readonly #home: Home
  readonly #turns = new Turns()

  constructor(dataDirectory: string, folder: string, name: string) {
    this.path = join(dataDirectory, folder, name)
    this.#home = new Home(dataDirectory)
  }

  /**
   * Undefined: there is none yet. A damaged file is kept as `<name>.damaged`, or with a number if there
   * is one already, and stays where it is until the next `save`: a start before that finds the damage again.
   */
  async load(isBody: (body: unknown) => body is T): Promise<Loaded<T>> {
    try {
      const found = await stat(this.path)
      // A pipe would be waited for.
      if (!found.isFile()) return await this.#setAside('it is no file')
      if (found.size > BYTES_MAX) return await this.#setAside(`it has ${found.size} bytes`)
      const content = JSON.parse(await readFile(this.path, 'utf8')) as Record<string, unknown> | null
      if (content?.['version'] !== VERSION) return await this.#setAside('its version is unknown')
      const body = content['body']
      if (body === undefined || content['sha256'] !== hashOf(JSON.stringify(body)))
        return await this.#setAside('its checksum is wrong')
      return isBody(body) ? { body } : await this.#setAside('its content is not what it should be')
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return await this.#absent()
      return error instanceof SyntaxError
        ? this.#setAside('it is no JSON')
        : { damage: `${this.path} cannot be read: ${message}` }
    }
  }

  /**
   * Replaces the file.
   *
   * @throws GatewayError `data_directory_unavailable` if another directory replaced ours, or it cannot be written
   */
  save(body: T): Promise<void> {
    const text = JSON.stringify(body)
    return this.#turns.take('', async () => {
      await this.#home.check()
      try {
        await this.#write(text)
      } catch (error) {
        throw new GatewayError(
          'data_directory_unavailable',
          `${this.path} cannot be written: ${(error as Error).message}`,
        )
      }
    })
  }

  async #write(text: string): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 })
    const file = await open(`${this.path}.new`, 'w', 0o600)
    try {
      await file.writeFile(`{"version":${VERSION},"sha256":"${hashOf(text)}","body":${text}}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(`${this.path}.new`, this.path)
    await syncFolder(dirname(this.path))
  }

  /** A link to nothing is damage, although nothing can be kept of it. */
  async #absent(): Promise<{ damage: string } | undefined> {
    const found = await lstat(this.path).catch(() => undefined)
    return found === undefined ? undefined : { damage: `${this.path} is damaged: it is a link to nothing` }
  }

  async #setAside(why: string): Promise<{ damage: string }> {
    const aside = await this.#keepCopy().catch(() => undefined)
    const kept = aside === undefined ? '' : `; it is kept as ${aside}`
    return { damage: `${this.path} is damaged: ${why}${kept}` }
  }

  /** Links it under the first name that is free, or that a start before this one gave it. An older copy may be the only one. */
  async #keepCopy(): Promise<string | undefined> {
    const { ino } = await stat(this.path)
    for (let copy = 1; copy <= COPIES_MAX; copy += 1) {
      const aside = `${this.path}.damaged${copy === 1 ? '' : `-${copy}`}`
      const there = await stat(aside).catch(() => undefined)
      if (there === undefined) await link(this.path, aside)
      if (there === undefined || there.ino === ino) return aside
    }
    return undefined
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Without it, a power loss can bring the old file back. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
