// A sign-in that is under way at a provider. The browser keeps it in a cookie that it can neither read nor change, so
// nobody can fill the memory of the server, and no other browser can end it.
import { timingSafeEqual } from 'node:crypto'
import { Sealer } from '../../sealed.js'

/** People type passwords and wait for codes meanwhile. */
const LIFE_MS = 10 * 60_000
/** Of an address that was asked for; a longer one leads to the first page. */
const NEXT_MAX = 1024

export interface Flow {
  state: string
  nonce: string
  /** Proves to the provider that the same server asks (PKCE). */
  verifier: string
  redirectUri: string
  /** The page that was asked for: a path of this server. */
  next: string
  /** The person has to be asked by the provider, at most so many seconds ago. Unset: a session there is enough. */
  maxAgeSeconds?: number
}

interface Kept extends Flow {
  endMs: number
}

export class Flows {
  readonly #sealer = new Sealer()

  /** The value of the cookie. */
  keep(flow: Flow): { secret: string; expiresAtMs: number } {
    const endMs = Date.now() + LIFE_MS
    return { secret: this.#sealer.seal(JSON.stringify({ ...flow, endMs } satisfies Kept)), expiresAtMs: endMs }
  }

  /** The flow of a cookie, if it has this state and has not ended. */
  find(cookie: string | null, state: string): Flow | undefined {
    const text = cookie === null ? undefined : this.#sealer.open(cookie)
    if (text === undefined) return undefined
    const { endMs, ...flow } = JSON.parse(text) as Kept
    return endMs > Date.now() && isSame(flow.state, state) ? flow : undefined
  }
}

/** A path of this server, whatever was asked for. No browser takes it for an address of another one. */
export function pathHere(next: string | undefined): string {
  if (next === undefined || next.length > NEXT_MAX || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(next)) return '/'
  const here = 'http://here.invalid'
  const url = new URL(next, here)
  // Nothing but this page would begin the sign-in anew.
  if (url.origin !== here || url.pathname.startsWith('//') || /^\/login(\/|$)/.test(url.pathname)) return '/'
  return `${url.pathname}${url.search}${url.hash}`
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
