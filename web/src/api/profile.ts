import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as api from '@tessera/client'
import { call } from './client'

export interface ProfileAsked {
  ns: string
  /** empty: records without a set; undefined: all records */
  set: string | undefined
  sample: number
  seed: number
}

/** The profile of a set. It reads as many records as the sample has, so it is not read again by itself. */
export const profileQuery = ({ ns, set, sample, seed }: ProfileAsked) =>
  queryOptions({
    queryKey: ['profile', ns, set, sample, seed],
    queryFn: ({ signal }) =>
      set === undefined || set === ''
        ? call(api.profileRecords, { path: { ns }, query: { sample, seed, ...(set === '' && { set }) }, signal })
        : call(api.profileSet, { path: { ns, set }, query: { sample, seed }, signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    retry: false,
  })

/** Which indexes would help a namespace. It reads samples of its sets, so it is asked for. */
export const adviceQuery = (ns: string) =>
  queryOptions({
    queryKey: ['index-advice', ns],
    queryFn: ({ signal }) => call(api.adviseIndexes, { path: { ns }, signal }),
    staleTime: Infinity,
    retry: false,
  })
