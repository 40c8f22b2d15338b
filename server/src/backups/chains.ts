// Which backup the next one builds on, and which have to go: a chain is a full backup with all that builds on it.
import type { Backup } from '../schemas/namespaces/backups.js'

type Link = Pick<Backup, 'id' | 'state' | 'base'>

/** The backups of a schedule in chains, oldest first. What is not complete is in none. */
export function chainsOf(made: readonly string[], backups: readonly Link[]): string[][] {
  const there = new Map(backups.filter(({ state }) => state === 'complete').map((backup) => [backup.id, backup]))
  const chains: string[][] = []
  for (const id of made) {
    const backup = there.get(id)
    if (backup === undefined) continue
    const last = chains.at(-1)
    if (last !== undefined && backup.base !== undefined && last.at(-1) === backup.base) last.push(id)
    else chains.push([id])
  }
  return chains
}

/** The backup to build on; undefined: the next one is full. */
export function baseOf(chains: readonly (readonly string[])[], fullEvery: number): string | undefined {
  const last = chains.at(-1)
  return last === undefined || last.length >= fullEvery ? undefined : last.at(-1)
}

/** What goes: all that is older than the chains that stay, newest first, so that nothing goes that another of them builds on. */
export function surplusOf(made: readonly string[], chains: readonly (readonly string[])[], keepFull: number): string[] {
  const oldest = chains.at(-keepFull)?.[0]
  return oldest === undefined ? [] : made.slice(0, made.indexOf(oldest)).toReversed()
}
