import { useQuery } from '@tanstack/react-query'
import { namespacesQuery } from '../../api/queries'
import type { Namespace } from '../../api/types'
import { isOpen } from './namespace-states'

/**
 * The namespace named in the URL, else the biggest one that is open, else one with some sets to see; undefined while
 * loading, empty if there is none.
 */
export function useDefaultNamespace(named: string | undefined): string | undefined {
  const { data } = useQuery(namespacesQuery())
  if (named !== undefined) return named
  if (data === undefined) return undefined
  const size = (namespace: Namespace): number => namespace.records
  const [first = data.partial?.[0]] = data.items.toSorted(
    (a, b) => Number(isOpen(b)) - Number(isOpen(a)) || size(b) - size(a),
  )
  return first?.name ?? ''
}
