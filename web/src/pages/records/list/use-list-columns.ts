import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { indexesQuery } from '../../../api/indexes'
import { useSample } from '../../../components/fields/use-sample'
import { type Asked, isPlain } from '../../../records/found'
import type { Exact } from '../../../records/json'
import type { RecordKey } from '../../../records/key'
import { binsOf } from '../../../records/rows/columns'
import type { ColumnDef } from '../../../table/column'
import { testedBins } from '../filter/chips'
import { recordColumns } from './record-columns'

interface Options {
  ns: string
  set: string | undefined
  /** the first records of the list, once they are read */
  items: readonly Exact[] | undefined
  asked: Asked
  /** keeps its identity, because each row draws it */
  onOpen: (key: RecordKey) => void
}

const NONE: readonly Exact[] = []

/** The columns of a list and the bins that its records have. While another list of the set is read, they stay. */
export function useListColumns({ ns, set, items = NONE, asked, onOpen }: Options): {
  columns: readonly ColumnDef<Exact>[]
  bins: readonly string[]
} {
  const [kept, keep] = useState(NONE)
  if (items.length > 0 && items !== kept) keep(items)
  const first = useSample(ns, isPlain(asked) || kept.length > 0 ? undefined : set)
  const sample = kept.length > 0 ? kept : first
  const { data } = useQuery(indexesQuery(ns))
  const indexes = data?.items
  const { where, by } = asked
  const columns = useMemo(() => {
    if (sample.length === 0) return []
    const orderedBy = (bin: string): string | undefined =>
      indexes?.find(
        (index) =>
          index.kind === 'range' &&
          index.state === 'ready' &&
          index.bin === bin &&
          index.path === undefined &&
          (index.set === undefined || index.set === set),
      )?.name
    const bins = [...testedBins(where), ...(by === undefined ? [] : [by])]
    return recordColumns({ sample, asked: bins, orderedBy, onOpen })
  }, [sample, where, by, indexes, set, onOpen])
  const bins = useMemo(() => [...new Set(sample.flatMap((record) => Object.keys(binsOf(record))))].sort(), [sample])
  return { columns, bins }
}
