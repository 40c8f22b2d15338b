import type { AuditEntry } from '../../api/types'
import { t } from '../../language/text'

export interface Change {
  name: string
  before: string | undefined
  after: string | undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The settings of an entry that differ, or all of what was made or dropped. */
export const changesOf = ({ before, after }: AuditEntry): Change[] => between('', before ?? {}, after ?? {})

/** Of objects, each member that differs. */
function between(name: string, before: unknown, after: unknown): Change[] {
  if (isObject(before) && isObject(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
      between(name === '' ? key : `${name}.${key}`, before[key], after[key]),
    )
  const change = { name, before: shown(before), after: shown(after) }
  return change.before === change.after ? [] : [change]
}

const shown = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value)

/** What an entry is about: namespace, set and object. */
export const targetOf = ({ namespace, set, object }: AuditEntry): string =>
  [namespace, set, object].filter((part) => part !== undefined).join(' / ')

const kinds: Readonly<Record<string, string>> = {
  start: t('server started'),
  stop: t('server stopped'),
  segment: t('new file of the log'),
  checkpoint: t('old files removed'),
  torn: t('torn line set aside'),
  gap: t('log could not be written'),
}

/** What was done, or what happened. */
export const titleOf = ({ kind, operation }: AuditEntry): string => operation ?? kinds[kind] ?? kind
