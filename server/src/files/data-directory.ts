// The data directory before it is opened.
import { access, constants, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConfigError } from '../config.js'

const words: Record<string, string> = {
  EROFS: 'it is on a file system that is mounted read-only',
  EACCES: 'it may not be written to',
  EPERM: 'it may not be written to',
  EEXIST: 'it is no directory',
  ENOTDIR: 'it is no directory',
}

/**
 * Makes it, for its owner only, if it is not there.
 *
 * @throws ConfigError that says in one sentence why it cannot be used
 */
export async function makeDataDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    await access(path, constants.W_OK)
  } catch (error) {
    const code = (await blocker(path)) ?? (error as NodeJS.ErrnoException).code
    throw new ConfigError(`the data directory ${path} cannot be used: ${words[code ?? ''] ?? (error as Error).message}`)
  }
}

/** What keeps the nearest thing that is there from being written to: making folders below it tells less. */
async function blocker(path: string): Promise<string | undefined> {
  const { code } = await access(path, constants.W_OK).then(
    () => ({ code: undefined }),
    (error: unknown) => error as NodeJS.ErrnoException,
  )
  return code === 'ENOENT' && path !== dirname(path) ? blocker(dirname(path)) : code
}
