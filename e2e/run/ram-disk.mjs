// A folder in memory for tests that wait for a disk more than they compute.
import { chmodSync, closeSync, constants, mkdtempSync, openSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const place = '/dev/shm'

/** What the tests of Rust write at once, and room for what runs beside them, bytes. */
const NEEDED = 6 * 1024 ** 3

/**
 * Runs `use` with the variable that puts temporary files into memory, or with none where memory is short or has no direct
 * input and output. The folder goes with its files.
 * @template T
 * @param {(variables: Readonly<Record<string, string>>) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function onRamDisk(use) {
  const folder = ramDisk()
  if (folder === undefined) return use({})
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // Memory that is left behind is gone until the next start of the machine.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  process.once('exit', remove)
  try {
    return await use({ TMPDIR: folder })
  } finally {
    process.off('exit', remove)
    remove()
  }
}

/** @returns {string | undefined} */
function ramDisk() {
  // A folder that was chosen by hand is kept.
  if (process.env['TMPDIR'] !== undefined) return undefined
  try {
    const { bavail, bsize } = statfsSync(place)
    if (Math.min(bavail * bsize, freemem()) < NEEDED) return undefined
    const folder = mkdtempSync(join(place, 'tessera-'))
    // As /tmp: some tests become another user.
    chmodSync(folder, 0o1777)
    try {
      closeSync(openSync(join(folder, 'direct'), constants.O_CREAT | constants.O_RDWR | constants.O_DIRECT))
      return folder
    } catch {
      rmSync(folder, { recursive: true, force: true })
      return undefined
    }
  } catch {
    return undefined
  }
}
