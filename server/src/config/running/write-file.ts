// Replaces the configuration file in one step. Its mode and its owner stay as they are.
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { GatewayError } from '../../errors.js'
import { syncFolder } from '../../files/sync-folder.js'
import { say } from '../../sentences/sentence.js'

const FRESH = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
const MODE_BITS = 0o7777

/** Whether the file and its folder look writable. */
export async function isWritable(path: string): Promise<boolean> {
  try {
    const real = await realpath(path)
    await Promise.all([access(real, constants.W_OK), access(dirname(real), constants.W_OK)])
    return true
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
