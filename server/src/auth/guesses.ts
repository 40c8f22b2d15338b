// Every secret that a request carries is a guess. After some wrong ones, the next from the same network, or for the same
// user, is refused before it is looked at. All routes and schemes share these counts.
import { createHash } from 'node:crypto'
import { GatewayError } from '../errors.js'
import { networkOf } from './network.js'
import { RecentlyGood } from './recently-good.js'
import { Throttle } from './throttle.js'
import { say } from '../sentences/sentence.js'

/** Wrong secrets that are remembered: a program that sends the same one again and again is no guesser. */
const REPEATS_MAX = 10_000

export class Guesses {
  readonly #networks = new Throttle()
  readonly #users = new Throttle()
  readonly #devices = new Throttle()
  readonly #good = new RecentlyGood()
  /** Hashes of network and wrong secret, oldest first. */
  readonly #repeats = new Set<string>()

  /**
   * A token or login code: 256 random bits. `find` looks at it, and gives the same owner each time.
   *
   * @throws GatewayError `too_many_logins`, before it is looked at
   */
  secret<T>(address: string | undefined, secret: string, find: () => T | undefined): T | undefined {
    const network = networkOf(address)
    const waitMs = this.#networks.waitMs(network)
    if (waitMs > 0 && !this.#good.has(network, secret)) throw tooMany(waitMs)
    const found = find()
    if (found === undefined) this.#wrong(network, secret)
    else this.#good.note(network, secret, found)
    return found
  }

  /** As `secret`, to be asked first: a wrong one is not counted, and not looked at while guesses have to wait. */
  known<T>(address: string | undefined, secret: string, find: () => T | undefined): T | undefined {
    const network = networkOf(address)
    if (this.#networks.waitMs(network) > 0 && !this.#good.has(network, secret)) return undefined
    const found = find()
    if (found !== undefined) this.#good.note(network, secret, found)
    return found
  }

  /**
   * A password. A device that has signed this user in before is counted by itself, so that nobody can lock its owner
   * out.
   *
   * @throws GatewayError `too_many_logins`, before it is looked at
   */
  async password<T>(
    { address, user, device }: { address: string | undefined; user: string; device: string | undefined },
    find: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const counts: [Throttle, string][] =
      device === undefined
        ? [
            [this.#networks, networkOf(address)],
            [this.#users, user.toLowerCase()],
          ]
        : [[this.#devices, device]]
    return this.#counted(counts, find)
  }

  /**
   * A code that a provider is asked about. Only the wrong ones count: `find` answers undefined for them.
   *
   * @throws GatewayError `too_many_logins`, before the provider is asked
   */
  code<T>(address: string | undefined, find: () => Promise<T | undefined>): Promise<T | undefined> {
    return this.#counted([[this.#networks, networkOf(address)]], find)
  }

  async #counted<T>(counts: [Throttle, string][], find: () => Promise<T | undefined>): Promise<T | undefined> {
    const waitMs = Math.max(...counts.map(([throttle, key]) => throttle.waitMs(key)))
    if (waitMs > 0) throw tooMany(waitMs)
    for (const [throttle, key] of counts) throttle.begin(key)
    const takeBack = (): void => {
      for (const [throttle, key] of counts) throttle.takeBack(key)
    }
    try {
      const found = await find()
      if (found !== undefined) takeBack()
      return found
    } catch (error) {
      takeBack()
      throw error
    }
  }

  #wrong(network: string, secret: string): void {
    const print = createHash('sha256').update(`${network} ${secret}`).digest('base64url')
    if (this.#repeats.has(print)) return
    const [oldest] = this.#repeats
    if (this.#repeats.size >= REPEATS_MAX && oldest !== undefined) this.#repeats.delete(oldest)
    this.#repeats.add(print)
    this.#networks.begin(network)
  }
}

function tooMany(waitMs: number): GatewayError {
  const seconds = Math.ceil(waitMs / 1000)
  return new GatewayError('too_many_logins', say('too many wrong credentials; wait {seconds, number} s', { seconds }), {
    headers: { 'retry-after': String(seconds) },
  })
}
