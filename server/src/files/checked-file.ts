// A JSON file with its own checksum: replaced atomically, and noticed if it is damaged.
import { createHash } from 'node:crypto'
import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { GatewayError } from '../errors.js'
import { Home } from './home.js'
import { keepAside, keptOf } from './keep-aside.js'
import { Damage, readRegular } from './read-file.js'
import { replaceFile } from './replace-file.js'
import { syncFolder } from './sync-folder.js'
import { Turns } from '../turns.js'
import { say } from '../sentences/sentence.js'

const VERSION = 1
/** A larger file is not ours. */
const BYTES_MAX = 16 * 1024 * 1024

export type Loaded<T> = { body: T } | { damage: string } | undefined

export class CheckedFile<T> {
  readonly path: string
  readonly #home: Home
  readonly #turns = new Turns()
  readonly #keepAside: typeof keepAside
  /** What is there is damaged, and has no other name yet. */
  #unkept = false

  /** `keep` sets a damaged file aside; a test has one that fails. */
  constructor(dataDirectory: string, folder: string, name: string, keep = keepAside) {
    this.#keepAside = keep
    this.path = join(dataDirectory, folder, name)
    this.#home = new Home(dataDirectory)
  }

  /**
   * Undefined: there was none yet. A damaged file is kept as `<name>.damaged`, or with a number if there is one
   * already. It stays where it is until the next `save`: a start before that finds the damage again. `apart` are files
   * of the folder that may be there without this one, and so may be what was kept of them.
   */
  async load(isBody: (body: unknown) => body is T, apart: readonly string[] = []): Promise<Loaded<T>> {
    try {
      const text = await readRegular(this.path, BYTES_MAX)
      if (text === undefined) return await this.#missing(apart)
      const body = bodyOf(text, isBody)
      // What could not be read before is sound.
      this.#unkept = false
      return { body }
    } catch (error) {
      if (error instanceof Damage) return { damage: `${this.path} is damaged: ${error.message}${await this.#keep()}` }
      throw error
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
          say('{path} cannot be written: {why}', { path: this.path, why: (error as Error).message }),
        )
      }
    })
  }

  async #write(text: string): Promise<void> {
    if (this.#unkept) await this.#keepAside(this.path)
    this.#unkept = false
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 })
    await replaceFile(this.path, `{"version":${VERSION},"sha256":"${hashOf(text)}","body":${text}}\n`)
    await syncFolder(dirname(this.path))
  }

  /** The folder is made with its first file. Unless that was cut off, somebody took the file away. */
  async #missing(apart: readonly string[]): Promise<{ damage: string } | undefined> {
    const others = await readdir(dirname(this.path)).catch(() => undefined)
    const isApart = (name: string): boolean => name.endsWith('.new') || apart.includes(keptOf(name) ?? name)
    if (others === undefined || (others.length > 0 && others.every(isApart))) return undefined
    return { damage: `${this.path} is missing` }
  }

  async #keep(): Promise<string> {
    try {
      const aside = await this.#keepAside(this.path)
      return aside === undefined ? '' : `; it is kept as ${aside}`
    } catch {
      this.#unkept = true
      return '; nothing is written over it until it can be set aside'
    }
  }
}

/** @throws Damage */
function bodyOf<T>(text: string, isBody: (body: unknown) => body is T): T {
  const content = parse(text)
  if (content?.['version'] !== VERSION) throw new Damage('its version is unknown')
  const body = content['body']
  if (body === undefined || content['sha256'] !== hashOf(JSON.stringify(body)))
    throw new Damage('its checksum is wrong')
  if (!isBody(body)) throw new Damage('its content is not what it should be')
  return body
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown> | null
  } catch {
    throw new Damage('it is no JSON')
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
