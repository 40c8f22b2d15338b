// Replaces a file in one step, so that a crash leaves the old one or the new one.
import { constants } from 'node:fs'
import { open, rename } from 'node:fs/promises'

/** A pipe under this name is not waited for, and a link is not followed. */
const FRESH = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK | constants.O_NOFOLLOW

export async function replaceFile(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, FRESH, 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}
