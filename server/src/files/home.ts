// The data directory as it was at the start: nothing may be written into another one in its place.
import { type BigIntStats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { GatewayError } from '../errors.js'
import { say } from '../sentences/sentence.js'

export class Home {
  readonly #path: string
  readonly #found: string | undefined

  constructor(path: string) {
    this.#path = path
    const home = statSync(path, { throwIfNoEntry: false, bigint: true })
    this.#found = home && identity(home)
  }

  /** @throws GatewayError `data_directory_unavailable` if another directory replaced ours */
  async check(): Promise<void> {
    const found = await stat(this.#path, { bigint: true }).catch(() => undefined)
    if (this.#found === undefined || (found !== undefined && identity(found) === this.#found)) return
    throw new GatewayError(
      'data_directory_unavailable',
      say('the data directory {path} was deleted or replaced; restore it', { path: this.#path }),
    )
  }
}

/** The file system and inode of a directory, if it exists. */
const identity = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`
