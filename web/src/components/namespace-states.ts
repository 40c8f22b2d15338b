import type { Namespace } from '../api/types'

/** Whether a namespace has its records at hand; else only what the manifest says of it is known. */
export function isOpen({ state }: Pick<Namespace, 'state'>): boolean {
  return state !== 'recovering' && state !== 'failed'
}
