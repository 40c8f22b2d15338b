// The second factor of a password: a code of an authenticator app (TOTP, RFC 6238), or a recovery code if the app is lost.
// A code works once. Its library is loaded when somebody needs it: most servers have no factor.
import { createHash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { type KeptFactor, RECOVERY_CODES } from './kept-factor.js'

const SECRET_BYTES = 20
const PERIOD_S = 30
/** Steps that the clock of the app may be ahead or behind. */
const DRIFT = 1
const RECOVERY_BYTES = 15
/** As an app shows it. The library fails for other characters. */
const CODE = /^[0-9]{6}$/
/** What apps know: they ignore other parameters. */
const HOW = { algorithm: 'SHA1', digits: 6, period: PERIOD_S }

export const newSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

/** What an app reads from a QR code. `host` tells the servers of one user apart. */
export const uriOf = (secret: string, user: string, host: string): string =>
  new TOTP({ ...HOW, issuer: 'Tessera', label: `${user}@${host}`, secret }).toString()

/** The step that a code is of, if it is one of now. */
export function stepOf(secret: string, code: string, nowMs: number): number | undefined {
  const token = plain(code)
  if (!CODE.test(token)) return undefined
  const totp = new TOTP({ ...HOW, secret })
  const drift = totp.validate({ token, timestamp: nowMs, window: DRIFT })
  return drift === null ? undefined : totp.counter({ timestamp: nowMs }) + drift
}

/** 120 random bits each, in groups that people can copy. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => {
    const { base32 } = new Secret({ size: RECOVERY_BYTES })
    return base32.match(/.{4}/g)?.join('-') ?? base32
  })

/** A factor that was set up with the code of this step. */
export const factorOf = (secret: string, step: number, codes: readonly string[], nowMs: number): KeptFactor => ({
  since: new Date(nowMs).toISOString(),
  secret,
  step,
  recovery: codes.map(hashOf),
})

/** The factor once this code is used up; undefined: the code is wrong, or was used before. */
export function afterCode(factor: KeptFactor, code: string, nowMs: number): KeptFactor | undefined {
  const step = stepOf(factor.secret, code, nowMs)
  if (step !== undefined) return step > factor.step ? { ...factor, step } : undefined
  // Only the hash is compared, so the time of a lookup tells nothing.
  const hash = hashOf(code)
  if (!factor.recovery.includes(hash)) return undefined
  return { ...factor, recovery: factor.recovery.filter((left) => left !== hash) }
}

/** As it was made: people type it with blanks, in groups, and in small letters. */
const plain = (code: string): string => code.replaceAll(/[\s-]/g, '').toUpperCase()

/** So many random bits need no slow hash. */
const hashOf = (code: string): string => createHash('sha256').update(plain(code)).digest('base64url')
