// Confirmation of destructive calls by name. The server enforces it, not a dialog.
import type { Config } from '../config.js'
import { GatewayError } from '../errors.js'
import { say } from '../sentences/sentence.js'

/** In production, the caller repeats the name of what it deletes. */
export function confirm(config: Config, header: string | undefined, name: string): void {
  if (config.environment === 'production') confirmAlways(header, name)
}

/** On every server, because the deleted data may be the only copy that someone else needs. */
export function confirmAlways(header: string | undefined, name: string): void {
  if (header === name) return
  throw new GatewayError('confirm_required', say('send X-Confirm: {name} to confirm this call', { name }), {
    field: 'x-confirm',
  })
}
