import type { Backup, RestoreRequest } from '../../api/types'
import type { NamespaceForm } from '../namespaces/new/fields'
import { configOf, emptyForm } from '../namespaces/new/form'
import { formOf } from '../namespaces/migrate/target'
import { type Pace, paceOf } from './pace'

/** Where a backup goes, as typed. */
export interface RestoreForm {
  into: 'new' | 'existing'
  /** the name of a new namespace, and its storage if that is to be another */
  storage: NamespaceForm
  stored: 'as before' | 'otherwise'
  existing: string
  merge: boolean
  pace: Pace
}

/** The storage that was backed up, under a name of its own. */
export const storageOf = ({ namespace = '', config }: Pick<Backup, 'namespace' | 'config'>): NamespaceForm => ({
  ...(config === undefined ? emptyForm : formOf(config)),
  name: `${namespace.slice(0, 54)}-restored`,
})

export function restoreRequest({ into, storage, stored, existing, merge, pace }: RestoreForm): RestoreRequest {
  if (into === 'existing') return { namespace: existing, ...(merge && { merge }), ...paceOf(pace) }
  const wanted = configOf(storage)
  return {
    namespace: storage.name,
    ...(stored === 'otherwise' && {
      storage: wanted.storage,
      ...(wanted.segments !== undefined && { segments: wanted.segments }),
      ...(wanted.container !== undefined && { container: wanted.container }),
      ...(wanted.durability !== undefined && { durability: wanted.durability }),
    }),
    ...paceOf(pace),
  }
}
