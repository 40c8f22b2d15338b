import type { Exact } from '../json'

/** Metadata of a record; `key` is the record's own key. */
export const metaFields = ['generation', 'updatedAt', 'expiresAt', 'ttl', 'size', 'set', 'key'] as const

/** Prefix of metadata in forms, in place of a bin name. */
export const metaNames: readonly string[] = metaFields.map((field) => `@${field}`)

/** The metadata that are numbers. */
export const metaNumbers: readonly string[] = ['@size', '@ttl', '@generation', '@updatedAt', '@expiresAt']

export const isMeta = (name: string): boolean => metaNames.includes(name)

/** The member of a test or aggregate that names its source. */
export const sourceOf = (name: string): { meta: string } | { bin: string } =>
  isMeta(name) ? { meta: name.slice(1) } : { bin: name }

/** The reverse; undefined if a form cannot show it. */
export function sourceName({ bin, meta }: { [name: string]: Exact }): string | undefined {
  if (typeof meta === 'string' && bin === undefined && isMeta(`@${meta}`)) return `@${meta}`
  return typeof bin === 'string' && meta === undefined && !isMeta(bin) ? bin : undefined
}
