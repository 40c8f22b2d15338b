import type { SearchSchemaInput } from '@tanstack/react-router'
import { setOf, textOf } from '../../search'
import type { IndexSpec } from '../../api/types'

export interface IndexesSearch {
  ns?: string | undefined
  /** only those that no query has used for 14 days */
  unused?: boolean | undefined
  create?: boolean | undefined
  /** what the form begins with */
  set?: string | undefined
  bin?: string | undefined
  path?: string | undefined
  kind?: IndexSpec['kind'] | undefined
}

export function readIndexesSearch(raw: IndexesSearch & SearchSchemaInput): IndexesSearch {
  const { kind } = raw
  const creates = raw.create === true
  return {
    ns: textOf(raw.ns),
    unused: raw.unused === true ? true : undefined,
    create: creates ? true : undefined,
    ...(creates && {
      set: setOf(raw.set),
      bin: textOf(raw.bin),
      path: textOf(raw.path),
      kind: kind === 'document' || kind === 'range' ? kind : undefined,
    }),
  }
}
