// Tells which files of the gateway were found damaged since its start: in its log, and as notices of its status.
import type { GatewayNotice } from '../schemas/server/gateway.js'

/** A notice names so many; the log has all of them. */
const NAMED_MAX = 3

export class DamagedFiles {
  readonly #warn: (message: string) => void
  readonly #notices: GatewayNotice[] = []

  constructor(warn: (message: string) => void) {
    this.#warn = warn
  }

  /** Each of `damages` is a sentence about a file. */
  tell(code: GatewayNotice['code'], what: string, damages: readonly string[]): void {
    if (damages.length === 0) return
    for (const damage of damages) this.#warn(`${what}: ${damage}`)
    const more = damages.length > NAMED_MAX ? [`and ${damages.length - NAMED_MAX} more`] : []
    const message = `${what}: ${[...damages.slice(0, NAMED_MAX), ...more].join('; ')}`
    this.#notices.push({ code, message, since: new Date().toISOString() })
  }

  notices(): readonly GatewayNotice[] {
    return this.#notices
  }
}
