import type { IndexSpec } from '../../api/types'

/** What the form of a new index holds; empty texts where nothing was typed. */
export interface NewIndex {
  name: string
  set: string | undefined
  kind: IndexSpec['kind']
  /** a document index of all bins, not of one */
  whole: boolean
  bin: string
  path: string
}

/** What an index is called unless it is given a name. */
export const defaultName = (index: NewIndex): string => (coversWhole(index) ? 'record' : index.bin)

/** Only a document index covers whole records. */
export const coversWhole = ({ kind, whole }: NewIndex): boolean => kind === 'document' && whole

/** The request that builds it; a field that its kind has no use for is left out. */
export function indexSpec(index: NewIndex, threads: number): IndexSpec {
  const { name, set, kind, bin, path } = index
  return {
    name: name === '' ? defaultName(index) : name,
    ...(set !== undefined && { set }),
    ...(!coversWhole(index) && { bin }),
    kind,
    ...(kind === 'range' && path !== '' && { path }),
    threads,
  }
}
