import { prefetch } from '../../../api/prefetch'
import { namespacesQuery } from '../../../api/queries'
import { queryClient } from '../../../api/query-client'
import { biggestSetQuery } from '../../../api/sets'
import { defaultNamespace } from '../../../components/namespaces/default-namespace'
import { isPlain } from '../../../records/found'
import { askedIn, type RecordsSearch } from '../search'
import { firstPageQuery } from './use-record-window'

/**
 * Begins to read the first records while the page is drawn for the first time. The page waits for the same reads, or shows
 * their failures. A filter is left to it, because its plan may have to be agreed to.
 */
export async function beginList(search: RecordsSearch): Promise<void> {
  const asked = askedIn(search)
  if (!isPlain(asked) || asked.from !== undefined || asked.segment !== undefined) return
  const ns = search.ns ?? defaultNamespace(await queryClient.fetchQuery(namespacesQuery()))
  if (ns === '') return
  const set = search.set ?? (await queryClient.fetchQuery(biggestSetQuery(ns))).items[0]?.name
  if (set !== undefined) prefetch(firstPageQuery(ns, set))
}
