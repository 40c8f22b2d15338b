// Files with lines that a crash cut off: `000001.log.torn` and so on. An entry tells each, so a forged one is noticed.
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import { isThere } from '../files/read-file.js'
import { LINE_MAX } from './line.js'
import { FOLDER, nameOf, namesIn, openToRead, type Segment } from './segments.js'

const NAME = /^(\d{6,})\.log\.torn(-\d+)?$/

/** What an entry tells about such a file. Entries of earlier versions have no hash. */
export interface Told {
  bytes: number
  sha256?: string
}

export interface Torn extends Told {
  /** Its name in messages and entries. */
  file: string
  /** The file of the log that it was cut from. */
  segment: number
}

/** Those that are in the folder, as they are now. What is no regular file, or too long for a line, has no hash. */
export async function tornFiles(directory: string): Promise<Torn[]> {
  const found: Torn[] = []
  for (const name of (await namesIn(directory)).toSorted()) {
    const segment = Number(NAME.exec(name)?.[1] ?? 0)
    if (segment === 0) continue
    const path = join(directory, name)
    const file = nameOf(path)
    const stat = await lstat(path)
    if (!stat.isFile() || stat.size > LINE_MAX) found.push({ file, segment, bytes: stat.size })
    else found.push({ file, segment, bytes: stat.size, sha256: await hashOf(path) })
  }
  return found
}

/** The first file that no entry tells, or not so. `removed`: entries up to this file of the log were removed. */
export async function tornFault(
  directory: string,
  told: ReadonlyMap<string, Told>,
  removed: number,
): Promise<{ name: string; fault: string } | undefined> {
  for (const { file, segment, bytes, sha256 } of await tornFiles(directory)) {
    const name = file.slice(FOLDER.length + 1)
    const entry = told.get(file)
    if (entry === undefined && segment > removed) return { name, fault: 'no entry tells that a crash cut it off' }
    if (sha256 === undefined || (entry !== undefined && !isSame(entry, { bytes, sha256 })))
      return { name, fault: 'it is not what a crash cut off' }
  }
  return undefined
}

const isSame = (entry: Told, found: Told): boolean =>
  entry.bytes === found.bytes && (entry.sha256 ?? found.sha256) === found.sha256

/** Copies the bytes behind the end of a file to a new one, unless an earlier start has. */
export async function setAside({ path, bytes }: Segment, torn: number): Promise<void> {
  const from = await openToRead(path)
  try {
    const rest = Buffer.alloc(torn)
    await from.read(rest, 0, torn, bytes)
    const sha256 = createHash('sha256').update(rest).digest('hex')
    let aside = `${path}.torn`
    for (let copy = 2; await isThere(aside); copy += 1) {
      const found = await lstat(aside)
      if (found.isFile() && found.size === torn && (await hashOf(aside)) === sha256) return
      aside = `${path}.torn-${copy}`
    }
    const to = await open(aside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
    try {
      await to.writeFile(rest)
      await to.sync()
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

async function hashOf(path: string): Promise<string> {
  const file = await openToRead(path)
  try {
    return createHash('sha256')
      .update(await file.readFile())
      .digest('hex')
  } finally {
    await file.close()
  }
}
