import type { Namespace } from '../../api/types'
import { isOpen } from './namespace-states'

interface Namespaces {
  items: readonly Namespace[]
  partial?: readonly { name: string }[]
}

/** The biggest namespace that is open, else one with some sets to see; empty if there is none. */
export function defaultNamespace({ items, partial }: Namespaces): string {
  const size = (namespace: Namespace): number => namespace.records
  const [first = partial?.[0]] = items.toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || size(b) - size(a))
  return first?.name ?? ''
}
