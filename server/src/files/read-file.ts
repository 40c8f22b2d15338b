// Reads regular files only: opening a pipe waits for its other end, maybe forever.
import { constants } from 'node:fs'
import { lstat, open, stat } from 'node:fs/promises'

/** What is wrong with a file that is there, as the end of a sentence. */
export class Damage extends Error {}

/** It may be whole, and it can perhaps be read later. */
export class Unreadable extends Damage {}

/**
 * The text of a file, or undefined if there is none.
 *
 * @throws Damage if there is something else, or if it cannot be read or is longer than `bytesMax`
 */
export async function readRegular(path: string, bytesMax: number): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) throw new Damage('it is no file')
    return await read(path, bytesMax)
  } catch (error) {
    if (error instanceof Damage) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new Unreadable(`it cannot be read: ${message.split(',')[0]}`)
    if (await isThere(path)) throw new Damage('it is a link to nothing')
    return undefined
  }
}

async function read(path: string, bytesMax: number): Promise<string> {
  // A pipe that came in its place since then is not waited for either.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = await file.stat()
    if (!found.isFile()) throw new Damage('it is no file')
    if (found.size > bytesMax) throw new Damage(`it has ${found.size} bytes`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

export const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
