import { useQuery } from '@tanstack/react-query'
import { namespacesQuery } from '../api/queries'

/** The namespace named in the URL, else the biggest one; undefined while loading, empty where there is none. */
export function useDefaultNamespace(named: string | undefined): string | undefined {
  const { data } = useQuery(namespacesQuery())
  if (named !== undefined) return named
  if (data === undefined) return undefined
  return data.items.toSorted((a, b) => b.records - a.records)[0]?.name ?? ''
}
