// The administrator token: created at the first start in a file of the data directory that only its owner can read.
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = 'admin.token'
const TOKEN_BYTES = 32

/**
 * Reads the token, or creates it.
 *
 * @throws Error if the file cannot be read or contains no token
 */
export async function loadToken(dataDirectory: string): Promise<string> {
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  const path = join(dataDirectory, FILE)
  const kept = await readKept(path)
  if (kept !== null) return kept
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(`${token}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  return token
}

async function readKept(path: string): Promise<string | null> {
  let text: string
  try {
    text = (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  if (!/^[A-Za-z0-9_-]{43}$/.test(text))
    throw new Error(`${path} contains no token; delete the file and start again to create a new token`)
  await chmod(path, 0o600)
  return text
}
