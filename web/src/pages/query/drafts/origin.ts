import type { OpenQuery } from '../../../api/types'

type Origin = NonNullable<OpenQuery['from']>

/** Reads where a draft was typed; empty if it is not said. */
export function originOf(value: unknown): { from?: Origin } {
  if (typeof value !== 'object' || value === null) return {}
  const { browser, at } = value as Record<string, unknown>
  return typeof browser === 'string' && typeof at === 'string' ? { from: { browser, at } } : {}
}
