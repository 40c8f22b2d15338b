import { useMay } from '../../api/use-may'
import { mayOpen } from '../page-needs'
import { navItems } from './nav-items'

export type NavGroup = Omit<(typeof navItems)[number], 'items'> & {
  items: readonly (typeof navItems)[number]['items'][number][]
}

/** The pages that the caller may open, by group. */
export function useNavItems(): readonly NavGroup[] {
  const may = useMay()
  return navItems.map(({ group, items }) => ({ group, items: items.filter(({ to }) => mayOpen(may, to)) }))
}
