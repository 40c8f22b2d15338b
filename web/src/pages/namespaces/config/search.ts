import type { SearchSchemaInput } from '@tanstack/react-router'
import { textOf } from '../../../search'

/** With which settings those of the namespace are compared. */
export type Compared =
  | { kind: 'defaults' | 'previous' }
  | { kind: 'revision'; number: number }
  | { kind: 'namespace'; name: string }

/** What the Configuration tab keeps in its URL. */
export interface ConfigSearch {
  /** such as `defaults`, `previous`, `revision:3`, `namespace:logs` */
  with?: string | undefined
  /** whether only settings that differ are shown */
  differing?: boolean | undefined
  form?: 'json' | undefined
}

export function readConfigSearch(raw: Partial<ConfigSearch> & SearchSchemaInput): ConfigSearch {
  const compared = textOf(raw.with)
  return {
    with: comparedOf(compared) === undefined ? undefined : compared,
    differing: raw.differing === true ? true : undefined,
    form: raw.form === 'json' ? 'json' : undefined,
  }
}

export function comparedOf(text: string | undefined): Compared | undefined {
  if (text === 'defaults' || text === 'previous') return { kind: text }
  const [, kind, value = ''] = /^(revision|namespace):(.+)$/.exec(text ?? '') ?? []
  if (kind === 'revision' && /^[1-9]\d{0,8}$/.test(value)) return { kind, number: Number(value) }
  return kind === 'namespace' ? { kind, name: value } : undefined
}
