// Keeps a damaged file for a person to look at, whatever is written in its place. That needs no right to read it.
import { link, lstat, rename, rm } from 'node:fs/promises'
import { isThere } from './read-file.js'

/**
 * Keeps the file as `<name>.damaged` too, or with the first number that is free. What can have one name only, such
 * as a folder, is moved there. Returns that name; undefined if there is no file.
 */
export async function keepAside(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(onlyMissing)
  if (found === undefined) return undefined
  for (let copy = 1; ; copy += 1) {
    const aside = `${path}.damaged${copy === 1 ? '' : `-${copy}`}`
    const there = await lstat(aside).catch(onlyMissing)
    // A start before this one has kept it.
    if (there?.ino === found.ino) return aside
    if (there !== undefined) continue
    await link(path, aside).catch(() => rename(path, aside))
    return aside
  }
}

/** Which file is kept under this name; undefined if none is. */
export const keptOf = (name: string): string | undefined => /^(.+)\.damaged(-\d+)?$/.exec(name)?.[1]

/** Moves the file there, so that nobody takes it for a whole one. Says where, or that it could not. */
export async function moveAside(path: string): Promise<string> {
  try {
    const aside = await keepAside(path)
    if (await isThere(path)) await rm(path)
    return aside === undefined ? '' : `; it is kept as ${aside}`
  } catch {
    return '; it cannot be set aside, so it stays there'
  }
}

function onlyMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
