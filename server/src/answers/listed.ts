// Listings of all namespaces read the contents of open ones only.
import { toFailure } from '../errors.js'
import type { Namespace } from '../schemas/namespaces/namespaces.js'

/** A namespace that recovers or failed answers 503 to reads of its contents. */
const isOpen = ({ state }: Namespace): boolean => state !== 'recovering' && state !== 'failed'

/** The sets or indexes of a namespace; empty if it is not open, or was dropped meanwhile. */
export async function listed<T>(namespace: Namespace, list: (name: string) => Promise<T[]>): Promise<T[]> {
  if (!isOpen(namespace)) return []
  try {
    return await list(namespace.name)
  } catch (error) {
    // One whose engine lists none must not take the others' away.
    if (['namespace_not_found', 'capability_unsupported'].includes(toFailure(error).code)) return []
    throw error
  }
}
