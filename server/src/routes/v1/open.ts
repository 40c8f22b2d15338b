// Which namespaces a listing of them all may ask for more than their names.
import { toFailure } from '../../errors.js'
import type { Namespace } from '../../schemas/namespaces.js'

/** One that recovers or failed answers 503 to any question about its contents. */
const isOpen = ({ state }: Namespace): boolean => state !== 'recovering' && state !== 'failed'

/** What a namespace lists, its sets or indexes; nothing where it is not open, or was dropped since it was listed itself. */
export async function listed<T>(namespace: Namespace, list: (name: string) => Promise<T[]>): Promise<T[]> {
  if (!isOpen(namespace)) return []
  try {
    return await list(namespace.name)
  } catch (error) {
    if (toFailure(error).code === 'namespace_not_found') return []
    throw error
  }
}
