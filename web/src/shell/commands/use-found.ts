import { useQueries, useQuery } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { useMemo } from 'react'
import * as api from '@tessera/client'
import { call } from '../../api/client'
import { allIndexesQuery } from '../../api/indexes'
import { namespacesQuery } from '../../api/queries'
import { setsQuery } from '../../api/sets'
import { useMay } from '../../api/use-may'
import { useSettled } from '../../components/use-settled'
import { textOf } from '../../search'
import type { Command } from './commands'
import {
  type Found,
  findRecords,
  findSets,
  found,
  indexFound,
  jobFound,
  keyAsked,
  MOST_FOUND,
  readable,
  savedFound,
  setSearch,
  wordsOf,
} from './find-in-server'

/** Sets of a namespace in which a key is looked for, if none is named. */
const MOST_SETS = 3
/** Jobs and saved queries that are searched. */
const MOST_LISTED = 200
const KEPT_MS = 30_000

export interface FoundInServer {
  commands: Command[]
  /** whether an answer is still to come */
  pending: boolean
}

/** Sets, records, indexes, jobs and saved queries that a typed text finds, as far as the caller may see them. */
export function useFound(typed: string): FoundInServer {
  const asked = useSettled(typed.trim())
  const words = useMemo(() => wordsOf(asked), [asked])
  const enabled = asked !== ''
  const sets = useSets(asked)
  const records = useRecords(asked)
  const indexes = useIndexes(words)
  const jobs = useQuery({
    queryKey: ['palette', 'jobs'],
    queryFn: async ({ signal }) =>
      (await call(api.listJobs, { query: { limit: MOST_LISTED }, signal })).items.map(jobFound),
    enabled: useMay()('listJobs') && enabled,
    staleTime: KEPT_MS,
  })
  const saved = useQuery({
    queryKey: ['palette', 'queries'],
    queryFn: async ({ signal }) =>
      (await call(api.listQueries, { query: { limit: MOST_LISTED }, signal })).items.map(savedFound),
    enabled: useMay()('listQueries') && enabled,
    staleTime: KEPT_MS,
  })
  const some = (list: readonly Found[] | undefined): Command[] =>
    enabled ? found(list ?? [], words).slice(0, MOST_FOUND) : []
  return {
    commands: [...sets.commands, ...records.commands, ...indexes.commands, ...some(saved.data), ...some(jobs.data)],
    pending: typed.trim() !== asked || [sets, records, indexes].some(({ pending }) => pending),
  }
}

type Answers = readonly { data?: Command[] | undefined; isFetching: boolean }[]

/** What several places answered, as one list. What fails in one of them is left out: the others have found something. */
const together = (answers: Answers): FoundInServer => ({
  commands: answers.flatMap(({ data }) => data ?? []).slice(0, MOST_FOUND),
  pending: answers.some(({ isFetching }) => isFetching),
})

function useNamespaceNames(): string[] {
  const { data } = useQuery(namespacesQuery())
  return useMemo(() => [...readable(data?.items ?? []), ...(data?.partial ?? []).map(({ name }) => name)], [data])
}

function useSets(asked: string): FoundInServer {
  const may = useMay()
  const names = useNamespaceNames().filter((namespace) => may('listSets', { namespace }))
  const { in: places, q } = setSearch(asked, names)
  return useQueries({
    queries: places.map((ns) => ({
      queryKey: ['palette', 'sets', ns, q],
      queryFn: ({ signal }: { signal: AbortSignal }) => findSets(ns, q, signal),
      enabled: q !== '',
      staleTime: KEPT_MS,
      retry: false,
    })),
    combine: together,
  })
}

/** A key is looked for where the text says, else in the set of the page, else in the biggest sets. */
function useRecords(asked: string): FoundInServer {
  const may = useMay()
  const names = useNamespaceNames()
  const search = useRouterState({ select: ({ location }) => location.search as Readonly<Record<string, unknown>> })
  const key = keyAsked(asked)
  const ns = [key.ns, textOf(search['ns']), names[0]].find((name) => name !== undefined && names.includes(name)) ?? ''
  const here = key.set ?? (key.ns === undefined && textOf(search['ns']) === ns ? textOf(search['set']) : undefined)
  const biggest = useQuery({
    ...setsQuery(ns, { sort: 'records', order: 'desc' }, MOST_SETS),
    enabled: ns !== '' && asked !== '' && here === undefined && may('listSets', { namespace: ns }),
    staleTime: KEPT_MS,
  }).data
  const places = (here === undefined ? (biggest?.items.map(({ name }) => name) ?? []) : [here]).filter((set) =>
    may('readRecords', { namespace: ns, set }),
  )
  return useQueries({
    queries: places.map((set) => ({
      queryKey: ['palette', 'records', ns, set, key.text],
      queryFn: ({ signal }: { signal: AbortSignal }) => findRecords(ns, set, key.text, signal),
      enabled: key.text !== '',
      retry: false,
    })),
    combine: together,
  })
}

function useIndexes(words: readonly string[]): FoundInServer {
  const { data = [], isFetching } = useQuery({
    ...allIndexesQuery(),
    enabled: useMay()('listAllIndexes') && words.length > 0,
    staleTime: KEPT_MS,
    retry: false,
  })
  return {
    commands: words.length === 0 ? [] : found(data.map(indexFound), words).slice(0, MOST_FOUND),
    pending: isFetching,
  }
}
