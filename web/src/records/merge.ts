import { membersOf, laidOut } from './json-scan'

/** A bin of three versions: its value as JSON text on one line; undefined: the version lacks it. */
export interface BinVersions {
  name: string
  base: string | undefined
  mine: string | undefined
  theirs: string | undefined
}

export interface Merge {
  /** bins that only one side changed, or both in the same way, with the value that they get */
  settled: (BinVersions & { by: 'mine' | 'theirs' | 'both'; value: string | undefined })[]
  /** bins that both sides changed, each in its way */
  conflicts: BinVersions[]
  /** bins that nobody changed */
  kept: ReadonlyMap<string, string>
}

/** Compares three versions of a record, bin by bin; each is a JSON object of its bins. */
export function mergeOf(base: string, mine: string, theirs: string): Merge {
  const [was, own, other] = [binsOf(base), binsOf(mine), binsOf(theirs)]
  const settled: Merge['settled'] = []
  const conflicts: BinVersions[] = []
  const kept = new Map<string, string>()
  for (const name of new Set([...own.keys(), ...other.keys(), ...was.keys()])) {
    const bin = { name, base: was.get(name), mine: own.get(name), theirs: other.get(name) }
    const [byMe, byThem] = [bin.mine !== bin.base, bin.theirs !== bin.base]
    if (bin.mine === bin.theirs) {
      if (byMe) settled.push({ ...bin, by: 'both', value: bin.mine })
      else if (bin.base !== undefined) kept.set(name, bin.base)
    } else if (byMe && byThem) conflicts.push(bin)
    else settled.push({ ...bin, by: byMe ? 'mine' : 'theirs', value: byMe ? bin.mine : bin.theirs })
  }
  return { settled, conflicts, kept }
}

/** The bins of a merge as a JSON object; `chosen`: the values of the conflicts, by name, undefined for none. */
export function mergedText(
  { settled, conflicts, kept }: Merge,
  chosen: ReadonlyMap<string, string | undefined>,
): string {
  const all: [string, string | undefined][] = [
    ...kept,
    ...settled.map(({ name, value }): [string, string | undefined] => [name, value]),
    ...conflicts.map(({ name }): [string, string | undefined] => [name, chosen.get(name)]),
  ]
  const members = all.flatMap(([name, value]) => (value === undefined ? [] : [`${JSON.stringify(name)}:${value}`]))
  return `{${members.join(',')}}`
}

const binsOf = (text: string): Map<string, string> =>
  new Map((membersOf(text) ?? []).map(([name, value]) => [name, laidOut(value, 0)]))
