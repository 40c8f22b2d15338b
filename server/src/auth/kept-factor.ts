// What is kept of a second factor, beside the hash of the password.
import { type Static, Type } from 'typebox'

/** How many recovery codes a factor begins with. */
export const RECOVERY_CODES = 10

export const KeptFactor = Type.Object({
  /** When it was set up. */
  since: Type.String({ minLength: 1 }),
  /** In base32, as an app takes it. */
  secret: Type.String({ pattern: '^[A-Z2-7]{32}$' }),
  /** Of the last code that was used: it and all earlier ones are refused. */
  step: Type.Integer({ minimum: 0 }),
  /** Hashes of the recovery codes that are left. */
  recovery: Type.Array(Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }), { maxItems: RECOVERY_CODES }),
})
export type KeptFactor = Static<typeof KeptFactor>
