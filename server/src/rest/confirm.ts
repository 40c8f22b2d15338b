// Typed confirmation of destructive calls, enforced here and not by a dialog.
import type { Config } from '../config.js'
import { GatewayError } from '../errors.js'

/** On a production instance the caller repeats the name of what goes. */
export function confirm(config: Config, header: string | undefined, name: string): void {
  if (config.environment !== 'production' || header === name) return
  throw new GatewayError('confirm_required', `send X-Confirm: ${name} to go ahead`, { field: 'x-confirm' })
}
