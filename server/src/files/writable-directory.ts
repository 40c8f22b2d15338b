// Creates a directory that a setting names, or says why it cannot be used.
import { access, constants, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConfigError } from '../config.js'
import { say, type Sentence } from '../sentences/sentence.js'

const words: Record<string, Sentence> = {
  EROFS: say('its file system is mounted read-only'),
  EACCES: say('the server may not write to it'),
  EPERM: say('the server may not write to it'),
  EEXIST: say('it is not a directory'),
  ENOTDIR: say('it is not a directory'),
}

/**
 * Creates the directory, for its owner only, if it does not exist. `what`: its name in messages.
 *
 * @throws ConfigError that says in one sentence why it cannot be used
 */
export async function makeDirectory(what: string, path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    await access(path, constants.W_OK | constants.X_OK)
  } catch (error) {
    const code = (await blocker(path)) ?? (error as NodeJS.ErrnoException).code
    throw new ConfigError(
      say('{what} {path} cannot be used: {why}', { what, path, why: words[code ?? ''] ?? (error as Error).message }),
    )
  }
}

/** Why the nearest existing parent cannot be written to; the error of `mkdir` says less. */
async function blocker(path: string): Promise<string | undefined> {
  const { code } = await access(path, constants.W_OK).then(
    () => ({ code: undefined }),
    (error: unknown) => error as NodeJS.ErrnoException,
  )
  return code === 'ENOENT' && path !== dirname(path) ? blocker(dirname(path)) : code
}
