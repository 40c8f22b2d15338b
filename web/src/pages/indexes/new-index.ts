import type { IndexSpec } from '../../api/types'

/** The form of a new index; empty texts for empty fields. */
export interface NewIndex {
  name: string
  set: string | undefined
  kind: IndexSpec['kind']
  /** a document index of all bins, not of one */
  whole: boolean
  bin: string
  path: string
}

/** The default name of an index. */
export const defaultName = (index: NewIndex): string => (coversWhole(index) ? 'record' : index.bin)

/** Only a document index covers whole records. */
export const coversWhole = ({ kind, whole }: NewIndex): boolean => kind === 'document' && whole

/** The request that builds it, without the fields that its kind does not have. */
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
