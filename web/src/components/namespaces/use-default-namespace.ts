import { useQuery } from '@tanstack/react-query'
import { namespacesQuery } from '../../api/queries'
import type { Namespace } from '../../api/types'
import { isOpen } from './namespace-states'

/** The namespace named in the URL, else the biggest one that is open; undefined while loading, empty where there is none. */
export function useDefaultNamespace(named: string | undefined): string | undefined {
  const { data } = useQuery(namespacesQuery())
  if (named !== undefined) return named
  if (data === undefined) return undefined
  const size = (namespace: Namespace): number => namespace.records
  return data.items.toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || size(b) - size(a))[0]?.name ?? ''
}
