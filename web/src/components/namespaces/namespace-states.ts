import type { Namespace } from '../../api/types'

/** Whether a namespace is open. If not, only the facts of the manifest are known. */
export function isOpen({ state }: Pick<Namespace, 'state'>): boolean {
  return state !== 'recovering' && state !== 'failed'
}
