import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { namespaceQuery } from '../../../api/queries'
import type { VersionedNamespace } from '../../../api/types'

/** The namespace that the tabs are about; the layout has loaded it. */
export function useNamespace(): VersionedNamespace {
  const { ns } = useParams({ strict: false }) as { ns: string }
  return useSuspenseQuery(namespaceQuery(ns)).data
}
