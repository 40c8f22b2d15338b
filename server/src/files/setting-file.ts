// Files that a setting names are read at once: nothing else runs at the start, and a reload must be whole or nothing.
import { readFileSync, statSync } from 'node:fs'
import { ConfigError } from '../config-values.js'
import { say } from '../sentences/sentence.js'

/** @throws ConfigError if it is no regular file of at most `bytesMax` bytes, or cannot be read */
export function readSettingFile(path: string, bytesMax: number): Buffer {
  try {
    const found = statSync(path)
    // To read a pipe would wait for who writes it.
    if (!found.isFile()) throw new Error('it is no regular file')
    if (found.size > bytesMax) throw new Error(`it has ${found.size} bytes`)
    return readFileSync(path)
  } catch (error) {
    throw new ConfigError(say('{path} cannot be read: {why}', { path, why: (error as Error).message }))
  }
}
