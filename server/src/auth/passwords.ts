// Passwords: the rule for a new one, and argon2id hashes in PHC form. A hash takes memory and a processor, so few are
// computed at once.
import { hash, verify } from '@node-rs/argon2'
import { randomBytes } from 'node:crypto'
import { GatewayError } from '../errors.js'
import { isGuessable } from './guessable.js'
import { say } from '../sentences/sentence.js'

const LEAST = 12
const MOST = 256
/** A shorter name would be in most passwords. */
const NAME_LEAST = 3
/** OWASP's first choice: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const AT_ONCE = 2
const WAITING_MAX = 32

export class Passwords {
  /** No password has it. An unknown user costs as much as a wrong password. */
  readonly #nobody = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$${random(16)}$${random(32)}`
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** @throws GatewayError `overloaded` */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(prepared(password), COST))
  }

  /**
   * Whether the hash is of this password. Without a hash it takes as long, and says no.
   *
   * @throws GatewayError `overloaded`
   */
  async isRight(kept: string | undefined, password: string): Promise<boolean> {
    const right = await this.#inTurn(() => verify(kept ?? this.#nobody, prepared(password)))
    return right && kept !== undefined
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < AT_ONCE) this.#running += 1
    else if (this.#waiting.length < WAITING_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else throw new GatewayError('overloaded', say('too many passwords are checked at once; try again'))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }
}

/**
 * NIST SP 800-63B: long enough, none that is guessed early, and no rules of composition.
 *
 * @throws GatewayError `field_invalid`, which does not repeat the password
 */
export async function checkNewPassword(password: string, user: string, field: string): Promise<void> {
  const { length } = [...prepared(password)]
  if (length < LEAST || length > MOST)
    throw new GatewayError(
      'field_invalid',
      say('{field} must have {least} to {most} characters', { field, least: LEAST, most: MOST }),
      { field },
    )
  if (user.length >= NAME_LEAST && prepared(password).toLowerCase().includes(user.toLowerCase()))
    throw new GatewayError('field_invalid', say('{field} must not contain the name of the user', { field }), { field })
  if (await isGuessable(prepared(password), user))
    throw new GatewayError('field_invalid', say('{field} is easy to guess; four random words are not', { field }), {
      field,
    })
}

/** Keyboards write the same letters in different ways (NIST SP 800-63B, 3.1.1.2). */
const prepared = (password: string): string => password.normalize('NFKC')

const random = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '')
