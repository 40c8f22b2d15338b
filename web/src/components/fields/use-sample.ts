import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { readPage } from '../../records/client'
import { binsOf } from '../../records/rows/columns'
import type { Exact } from '../../records/json'

const SAMPLE = 20
const none: readonly Exact[] = []

/** The first records of a set (empty name: without a set). Empty if no set is chosen, and during loading. */
export function useSample(ns: string, set: string | undefined): readonly Exact[] {
  const { data } = useQuery({
    queryKey: ['sample', ns, set],
    queryFn: async () => (await readPage(ns, set ?? '', SAMPLE, undefined)).items,
    enabled: ns !== '' && set !== undefined,
    staleTime: 60_000,
  })
  return data ?? none
}

/** Their bins, by name. */
export function useBinNames(ns: string, set: string | undefined): string[] {
  const sample = useSample(ns, set)
  return useMemo(() => [...new Set(sample.flatMap((record) => Object.keys(binsOf(record))))].sort(), [sample])
}
