// Replaces the configuration file in one step. Its mode and its owner stay as they are.
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, type FileHandle, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { GatewayError } from '../../errors.js'
import { syncFolder } from '../../files/sync-folder.js'
import { say } from '../../sentences/sentence.js'

const FRESH = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
const MODE_BITS = 0o7777

/** Ends the names of files that are being written, and of those that a kill left behind. */
const UNFINISHED = /^\.[\da-f]{12}\.new$/

/** Whether it is a file, and it and its folder look writable. */
export async function isWritable(path: string): Promise<boolean> {
  try {
    const real = await realpath(path)
    await Promise.all([access(real, constants.W_OK), access(dirname(real), constants.W_OK)])
    return (await stat(real)).isFile()
  } catch {
    return false
  }
}

/**
 * A link is followed: what it leads to is replaced.
 *
 * @throws GatewayError `config_file_unwritable`; the file is then as it was
 */
export async function writeConfigFile(path: string, text: string): Promise<void> {
  try {
    const real = await realpath(path)
    // A file that is not to be written is not replaced, though its folder may allow it.
    await access(real, constants.W_OK)
    await removeUnfinished(real)
    const next = `${real}.${randomBytes(6).toString('hex')}.new`
    try {
      await writeAs(real, next, text)
      await rename(next, real)
    } catch (error) {
      await rm(next, { force: true })
      throw error
    }
    await syncFolder(dirname(real))
  } catch (error) {
    throw new GatewayError(
      'config_file_unwritable',
      say('{path} cannot be written: {why}', { path, why: (error as Error).message }),
    )
  }
}

/** A folder that cannot be listed can still be written to. */
async function removeUnfinished(real: string): Promise<void> {
  const names = await readdir(dirname(real)).catch(() => [])
  const left = names.filter(
    (name) => name.startsWith(basename(real)) && UNFINISHED.test(name.slice(basename(real).length)),
  )
  await Promise.all(left.map((name) => rm(join(dirname(real), name), { force: true })))
}

async function writeAs(model: string, next: string, text: string): Promise<void> {
  const { mode, uid, gid } = await stat(model)
  const file = await open(next, FRESH, 0o600)
  try {
    await file.writeFile(text)
    await own(file, uid, gid)
    await file.chmod(mode & MODE_BITS)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function own(file: FileHandle, uid: number, gid: number): Promise<void> {
  const made = await file.stat()
  if (made.uid !== uid || made.gid !== gid) await file.chown(uid, gid)
}
