// The administrator token: made at first start, kept in the data directory for its owner only.
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = 'admin.token'
const TOKEN_BYTES = 32

/**
 * Reads the token, or makes one.
 *
 * @throws Error when the file cannot be read, or holds no token
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
  if (!/^[A-Za-z0-9_-]{43}$/.test(text)) throw new Error(`${path} holds no token; remove it and a new one is made`)
  await chmod(path, 0o600)
  return text
}
