// The administrator token: created at the first start in a file of the data directory that only its owner can read.
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../config.js'
import { Damage, readRegular } from '../files/read-file.js'

const FILE = 'admin.token'
const ADVICE = 'remove it and start again to create a new token'
const TOKEN_BYTES = 32
/** A token with its newline, and room for blanks. */
const FILE_BYTES_MAX = 4096

/**
 * Reads the token, or creates it.
 *
 * @throws ConfigError if the file cannot be read or contains no token
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
  const text = await readRegular(path, FILE_BYTES_MAX).catch((error: unknown) => {
    if (!(error instanceof Damage)) throw error
    throw new ConfigError(`${path} contains no token: ${error.message}; ${ADVICE}`)
  })
  if (text === undefined) return null
  const token = text.trim()
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) throw new ConfigError(`${path} contains no token; ${ADVICE}`)
  await chmod(path, 0o600)
  return token
}
