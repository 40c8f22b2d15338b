// Which namespaces a listing of them all may ask for more than their names.
import type { Namespace } from '../../schemas/namespaces.js'

/** One that recovers or failed answers 503 to any question about its contents. */
export const isOpen = ({ state }: Namespace): boolean => state !== 'recovering' && state !== 'failed'
