// Notices on their way to the webhook: one at a time, in order, tried again with growing pauses, and bounded.
import type { AlertEvent } from '../../schemas/alerts/alerts.js'
import type { Clock } from '../clock.js'
import { type Attempt, post, type PostOptions } from './post.js'
import { sign, SIGNATURE_HEADER } from './signature.js'

/** Most notices that wait; the oldest is dropped. */
export const WAITING_MAX = 100
export const ATTEMPTS_MAX = 6
const TIMEOUT_MS = 10_000
const PAUSE_MS = 1000

export interface Receiver {
  url: string
  secret: string
}

export interface DeliveryOptions {
  clock: Clock
  allowPrivate: boolean
  /** Undefined: there is none now. */
  receiver: () => Receiver | undefined
  /** Called when the state of a delivery has changed. */
  changed: () => void
  timeoutMs?: number
  names?: PostOptions['names']
}

/** The pause after an attempt: 1, 2, 4, 8, 16 s. */
export const pauseMs = (attempts: number): number => PAUSE_MS * 2 ** (attempts - 1)

export class Deliveries {
  readonly #options: DeliveryOptions
  readonly #waiting: AlertEvent[] = []
  readonly #stop = new AbortController()
  #busy = false

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  get waiting(): number {
    return this.#waiting.length
  }

  add(event: AlertEvent): void {
    event.delivery ??= { state: 'waiting', attempts: 0 }
    this.#waiting.push(event)
    // The first is on its way.
    if (this.#waiting.length > WAITING_MAX) this.#drop(1, `more than ${WAITING_MAX} notices were waiting`)
    if (!this.#busy) this.#next()
  }

  /** Gives all up, because there is no receiver any more. */
  clear(why: string): void {
    while (this.#waiting.length > 0) this.#drop(0, why)
    this.#options.changed()
  }

  /** What waits stays `waiting`, and is taken up by the next start. */
  close(): void {
    this.#stop.abort()
  }

  #drop(index: number, message: string): void {
    const [event] = this.#waiting.splice(index, 1)
    if (event?.delivery !== undefined) event.delivery = { ...event.delivery, state: 'dropped', message }
  }

  #next(): void {
    const event = this.#waiting[0]
    this.#busy = event !== undefined && !this.#stop.signal.aborted
    if (event === undefined || !this.#busy) return
    void this.#try(event).then((attempt) => this.#note(event, attempt))
  }

  async #try(event: AlertEvent): Promise<Attempt> {
    const { clock, allowPrivate, receiver, timeoutMs = TIMEOUT_MS, names } = this.#options
    const to = receiver()
    if (to === undefined) return { failure: { message: 'the webhook is off', final: true } }
    const { delivery, muted: _, ...rest } = event
    const body = JSON.stringify({ source: 'tessera', ...rest })
    const headers = {
      'user-agent': 'tessera',
      [SIGNATURE_HEADER]: sign(to.secret, Math.floor(clock.now() / 1000), body),
      'x-tessera-event': event.id,
      'x-tessera-attempt': String((delivery?.attempts ?? 0) + 1),
    }
    const { signal } = this.#stop
    return post(to.url, body, headers, { allowPrivate, timeoutMs, signal, ...(names !== undefined && { names }) })
  }

  #note(event: AlertEvent, { status, failure }: Attempt): void {
    if (this.#stop.signal.aborted) return
    // It was dropped meanwhile.
    if (this.#waiting[0] !== event) return this.#next()
    const attempts = (event.delivery?.attempts ?? 0) + 1
    const again = failure !== undefined && !failure.final && attempts < ATTEMPTS_MAX
    event.delivery = {
      state: failure === undefined ? 'delivered' : again ? 'waiting' : 'failed',
      attempts,
      ...(status !== undefined && { status }),
      ...(failure !== undefined && { message: failure.message }),
    }
    if (!again) this.#waiting.shift()
    this.#options.changed()
    if (!again) return this.#next()
    const cancel = this.#options.clock.after(pauseMs(attempts), () => {
      this.#stop.signal.removeEventListener('abort', cancel)
      this.#next()
    })
    this.#stop.signal.addEventListener('abort', cancel, { once: true })
  }
}
