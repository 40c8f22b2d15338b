import type { BinProfile, PathProfile } from '../../../api/types'

/** A bin, or a place inside it. */
export interface PlaceOf {
  bin: string
  /** as the profile writes it; undefined: the bin itself */
  path: string | undefined
}

type Top = BinProfile['top'][number]

/** A path that is a list in JSON, because a key has a dot or a bracket. */
const pathJson = (path: string): string => (path.startsWith('["') ? path : JSON.stringify(path))

/** The filter of records with this value; undefined for a value that no test can find. */
export function whereOf({ bin, path }: PlaceOf, { json, cut }: Top): string | undefined {
  if (cut || json.startsWith('[') || (json.startsWith('{') && !json.startsWith('{"$bytes"'))) return undefined
  const at = path === undefined ? '' : `"path":${pathJson(path)},`
  return `{"bin":${JSON.stringify(bin)},${at}"op":"eq","value":${json}}`
}

/** The form of an index that finds values at this place. Lists and maps need a document index. */
export function indexOf(
  { bin, path }: PlaceOf,
  of: Pick<PathProfile, 'types'> & { indexable?: boolean },
): { bin: string; path?: string; kind: 'range' | 'document' } {
  const isNested = of.types.some(({ type }) => type === 'list' || type === 'map')
  if (isNested || of.indexable === false) return { bin, kind: 'document' }
  return { bin, kind: 'range', ...(path !== undefined && { path }) }
}
