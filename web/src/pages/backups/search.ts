import type { SearchSchemaInput } from '@tanstack/react-router'
import { textOf } from '../../search'

export interface BackupsSearch {
  ns?: string | undefined
  /** the bucket that is looked at; unset: the backup directory */
  target?: string | undefined
  /** the backup whose details are open */
  id?: string | undefined
  /** the dialog that starts one is open */
  create?: boolean | undefined
}

export function readBackupsSearch(raw: BackupsSearch & SearchSchemaInput): BackupsSearch {
  return {
    ns: textOf(raw.ns),
    target: textOf(raw.target),
    id: textOf(raw.id),
    create: raw.create === true ? true : undefined,
  }
}
