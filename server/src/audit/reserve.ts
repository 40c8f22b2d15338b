// Room on the disk for the entries of what frees room. Without it, a full disk could not be emptied: no drop is carried out
// that the log does not tell.
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** Also for the manifest that the change writes. */
const BYTES = 1024 * 1024
/** It is taken only if so many times as much is free: nobody else shall run out of room by it. */
const SPARE = 4
const AGAIN_MS = 10_000

export const RESERVE = 'reserve'

export class Reserve {
  readonly #path: string
  readonly #directory: string
  #isHeld = false
  #again: NodeJS.Timeout | undefined

  constructor(directory: string) {
    this.#directory = directory
    this.#path = join(directory, RESERVE)
  }

  /** Takes the room, now or once there is enough. */
  async take(): Promise<void> {
    clearTimeout(this.#again)
    this.#isHeld = await this.#taken().catch(() => false)
    if (!this.#isHeld) this.#again = setTimeout(() => void this.take(), AGAIN_MS).unref()
  }

  /** Gives the room up, until there is enough again. False: it has none, or something else is in its place. */
  async giveUp(): Promise<boolean> {
    if (!this.#isHeld) return false
    this.#isHeld = false
    const isGone = await rm(this.#path, { force: true }).then(
      () => true,
      () => false,
    )
    this.#again = setTimeout(() => void this.take(), AGAIN_MS).unref()
    return isGone
  }

  close(): void {
    clearTimeout(this.#again)
  }

  async #taken(): Promise<boolean> {
    const found = await lstat(this.#path).catch(() => undefined)
    if (found?.isFile() === true && found.size === BYTES) return true
    await rm(this.#path, { force: true })
    const { bavail, bsize } = await statfs(this.#directory)
    if (bavail * bsize < SPARE * BYTES) return false
    const file = await open(this.#path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
    try {
      // A file system that compresses keeps room for all of it.
      await file.writeFile(randomBytes(BYTES))
      await file.sync()
      return true
    } catch {
      await rm(this.#path, { force: true })
      return false
    } finally {
      await file.close()
    }
  }
}
