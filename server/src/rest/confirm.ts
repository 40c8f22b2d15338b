// Typed confirmation of destructive calls, enforced here and not by a dialog.
import type { Config } from '../config.js'
import { GatewayError } from '../errors.js'

/** On a production instance the caller repeats the name of what goes. */
export function confirm(config: Config, header: string | undefined, name: string): void {
  if (config.environment === 'production') confirmAlways(header, name)
}

/** On every instance: what goes may be the only copy of what someone else needs, and nobody chose to delete it. */
export function confirmAlways(header: string | undefined, name: string): void {
  if (header === name) return
  throw new GatewayError('confirm_required', `send X-Confirm: ${name} to go ahead`, { field: 'x-confirm' })
}
