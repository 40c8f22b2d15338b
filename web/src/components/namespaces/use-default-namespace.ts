import { useQuery } from '@tanstack/react-query'
import { namespacesQuery } from '../../api/queries'
import { defaultNamespace } from './default-namespace'

/** As `defaultNamespace`; undefined while loading. */
export function useDefaultNamespace(named: string | undefined): string | undefined {
  const { data } = useQuery(namespacesQuery())
  if (named !== undefined) return named
  return data === undefined ? undefined : defaultNamespace(data)
}
