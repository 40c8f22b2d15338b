import type { Call } from '../api/calls'
import { t } from '../language/text'

/** How a call ended, or that it has not. */
export function callState({ status, milliseconds }: Call): string {
  if (status === undefined) return '…'
  if (status === 'stream') return '200 · stream'
  return t('{status} · {milliseconds} ms', { status, milliseconds: Math.round(milliseconds ?? 0) })
}
