import type { SearchSchemaInput } from '@tanstack/react-router'
import { textOf } from '../../search'

/** With which settings those of the server are compared. */
export type Compared = { kind: 'defaults' | 'previous' } | { kind: 'revision'; number: number }

/** What the page Configuration keeps in its URL. */
export interface ServerConfigSearch {
  /** a part of a name, a meaning or a value */
  find?: string | undefined
  /** which settings are shown; unset: all */
  show?: 'live' | 'set' | undefined
  /** such as `defaults`, `previous`, `revision:3` */
  with?: string | undefined
  /** whether only settings that differ are shown */
  differing?: boolean | undefined
}

export function readServerConfigSearch(raw: Partial<ServerConfigSearch> & SearchSchemaInput): ServerConfigSearch {
  const compared = textOf(raw.with)
  return {
    find: textOf(raw.find),
    show: raw.show === 'live' || raw.show === 'set' ? raw.show : undefined,
    with: comparedOf(compared) === undefined ? undefined : compared,
    differing: raw.differing === true ? true : undefined,
  }
}

export function comparedOf(text: string | undefined): Compared | undefined {
  if (text === 'defaults' || text === 'previous') return { kind: text }
  const [, number] = /^revision:([1-9]\d{0,8})$/.exec(text ?? '') ?? []
  return number === undefined ? undefined : { kind: 'revision', number: Number(number) }
}
