import type { Backup } from '../../api/types'

/** The backups that a restore of this one reads: itself, its base, and so on to the full one, as far as they are known. */
export function chainOf(backup: Backup, all: readonly Backup[]): Backup[] {
  const byId = new Map(all.map((one) => [one.id, one]))
  const chain = new Set([backup])
  for (let next = baseIn(backup, byId); next !== undefined && !chain.has(next); next = baseIn(next, byId))
    chain.add(next)
  return [...chain]
}

const baseIn = ({ base }: Backup, byId: ReadonlyMap<string, Backup>): Backup | undefined =>
  base === undefined ? undefined : byId.get(base)

/** The backups that build on this one, and keep it from being deleted. */
export const buildOn = ({ id }: Backup, all: readonly Backup[]): Backup[] => all.filter(({ base }) => base === id)

/** The complete backups of a namespace, newest first: each may be the base of the next. Ids begin with their time. */
export const basesOf = (namespace: string, all: readonly Backup[]): Backup[] =>
  all
    .filter((backup) => backup.namespace === namespace && backup.state === 'complete')
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
