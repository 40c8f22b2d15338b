import type { Exact } from './json'

/** What is known of a record beside its bins; `key` is its own. */
const metaFields = ['generation', 'updatedAt', 'expiresAt', 'ttl', 'size', 'set', 'key'] as const

/** How forms write metadata, so that it stands where the name of a bin does. */
export const metaNames: readonly string[] = metaFields.map((field) => `@${field}`)

/** Those that are numbers. */
export const metaNumbers: readonly string[] = ['@size', '@ttl', '@generation', '@updatedAt', '@expiresAt']

export const isMeta = (name: string): boolean => metaNames.includes(name)

/** The member of a test or an aggregate that names whose values are meant. */
export const sourceOf = (name: string): { meta: string } | { bin: string } =>
  isMeta(name) ? { meta: name.slice(1) } : { bin: name }

/** The reverse; undefined where a form cannot show it. */
export function sourceName({ bin, meta }: { [name: string]: Exact }): string | undefined {
  if (typeof meta === 'string' && bin === undefined && isMeta(`@${meta}`)) return `@${meta}`
  return typeof bin === 'string' && meta === undefined && !isMeta(bin) ? bin : undefined
}
