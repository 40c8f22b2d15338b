import type { IndexSpec } from '../../../api/types'
import type { Asked } from '../../../records/found'
import type { FilterOp, FilterRow } from '../../../records/request/filter'
import { isMeta } from '../../../records/request/source'
import { chipsOf } from './chips'

/** The tests that an index of one bin finds, from those that leave the fewest records as a rule. */
const tests: readonly FilterOp[] = [
  'eq',
  'in',
  'prefix',
  'contains',
  'has',
  'hasAll',
  'hasAny',
  'between',
  'lt',
  'le',
  'gt',
  'ge',
]
const ofDocuments: readonly FilterOp[] = ['contains', 'has', 'hasAll', 'hasAny']
const ofKeys: readonly FilterOp[] = ['has', 'hasAll', 'hasAny']

export interface WantedIndex {
  bin: string
  kind: IndexSpec['kind']
  path?: string
}

/** The index that a list would use: for one of its tests, else for its order. Undefined if no index could help. */
export function wantedIndex({ where, by }: Asked): WantedIndex | undefined {
  const rows = chipsOf(where).flatMap((chip) => (chip.kind === 'test' ? [chip.row] : []))
  const [found] = rows
    .toSorted((a, b) => tests.indexOf(a.op) - tests.indexOf(b.op))
    .flatMap((row) => indexFor(row) ?? [])
  if (found !== undefined) return found
  return where === '' && by !== undefined && !isMeta(by) ? { bin: by, kind: 'range' } : undefined
}

function indexFor({ bin, path, op }: FilterRow): WantedIndex | undefined {
  if (isMeta(bin) || !tests.includes(op)) return undefined
  if (ofKeys.includes(op) && path !== '') return undefined
  if (ofDocuments.includes(op)) return { bin, kind: 'document' }
  // A range index has one value of each record, so no path that leads to each item of a list.
  if (path.includes('*')) return op === 'eq' || op === 'in' ? { bin, kind: 'document' } : undefined
  return { bin, kind: 'range', ...(path !== '' && { path }) }
}
