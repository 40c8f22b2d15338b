// A load of writes, reads, deletes and additions, and what its clients were told. Afterwards each record is compared with that.
import { expect } from 'vitest'
import { send } from '../../gateway/client.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { Random } from '../../gateway/random.ts'

const CLIENTS = 16
const COUNTERS = 8
/** Keys that are read at once in the end. */
const TOGETHER = 500

/** What a client knows of a record that it has made: it is there, it is gone, or either, because no answer says so. */
type Known = 'there' | 'gone' | 'either'

/**
 * What was told since the last time, the longest time without any good answer, how long after the last time that began, and the
 * longest time that an operation took; times in milliseconds.
 */
export interface Told {
  acknowledged: number
  read: number
  refused: number
  uncertain: number
  stallMs: number
  stallAfterMs: number
  slowestMs: number
}

const nothing: Told = { acknowledged: 0, read: 0, refused: 0, uncertain: 0, stallMs: 0, stallAfterMs: 0, slowestMs: 0 }

export class Load {
  readonly #gateway: Gateway
  readonly #namespace: string
  readonly #random: Random
  readonly #known = new Map<number, Known>()
  /** By counter: additions that were acknowledged, and those that may have counted. */
  readonly #sums = Array.from({ length: COUNTERS }, () => ({ sure: 0, open: 0 }))
  readonly #clients: Promise<void>[]
  #next = 0
  #ends = false
  #lastGood = performance.now()
  #told: Told = { ...nothing }
  #since = performance.now()

  /** Begins. */
  constructor(gateway: Gateway, namespace: string, seed: number) {
    this.#gateway = gateway
    this.#namespace = namespace
    this.#random = new Random(seed)
    this.#clients = Array.from({ length: CLIENTS }, () => this.#beClient())
    // One that fails ends all: `end` tells.
    for (const client of this.#clients) client.catch(() => (this.#ends = true))
  }

  /** Good answers so far. */
  get good(): number {
    return this.#told.acknowledged + this.#told.read
  }

  /** Waits for so many more good answers. */
  async goesOn(more: number): Promise<void> {
    const from = this.good
    await expect.poll(() => this.good, { timeout: 180_000 }).toBeGreaterThan(from + more)
  }

  /** What was told since the last call. */
  take(): Told {
    const now = performance.now()
    this.#stands(now)
    const told = this.#told
    this.#told = { ...nothing }
    this.#since = now
    return told
  }

  /** Ends the load. */
  async end(): Promise<void> {
    this.#ends = true
    await Promise.all(this.#clients)
  }

  /**
   * Reads each record: what was acknowledged is there, what was deleted or refused is not. Answers how many there are, and how many
   * of the uncertain writes have come into force.
   */
  async verify(): Promise<{ records: number; uncertain: number; inForce: number }> {
    const all = [...this.#known]
    const wrong: string[] = []
    let inForce = 0
    for (let at = 0; at < all.length; at += TOGETHER) {
      const some = all.slice(at, at + TOGETHER)
      const found = await this.#find(some.map(([key]) => key))
      for (const [key, known] of some) {
        const value = found.get(key)
        if (known === 'either') inForce += Number(value !== undefined)
        if (known === 'there' ? value !== key : value !== undefined && (known === 'gone' || value !== key))
          wrong.push(`${key} is ${known}, and was read as ${value}`)
      }
    }
    expect(wrong).toEqual([])
    for (const [counter, { sure, open }] of this.#sums.entries()) {
      const answer = await send(this.#gateway, 'GET', this.#path('counters', counter))
      const { bins } = (await answer.json()) as { bins?: { n: number } }
      const counted = bins?.n ?? 0
      expect(counted, `counter ${counter}`).toBeGreaterThanOrEqual(sure)
      expect(counted, `counter ${counter}`).toBeLessThanOrEqual(sure + open)
    }
    return { records: all.length, uncertain: all.filter(([, known]) => known === 'either').length, inForce }
  }

  #path(set: string, key: number): string {
    return `/api/v1/namespaces/${this.#namespace}/sets/${set}/records/${key}?keytype=integer`
  }

  async #find(keys: number[]): Promise<Map<number, number>> {
    const path = `/api/v1/namespaces/${this.#namespace}/sets/s/read`
    const answer = await send(this.#gateway, 'POST', path, keys, 'application/x-ndjson')
    const text = await answer.text()
    expect(answer.status, text).toBe(200)
    const rows = text.trim().split('\n')
    const found = rows.map((row) => JSON.parse(row) as { key: number; missing?: boolean; bins?: { n: number } })
    return new Map(found.flatMap(({ key, bins }) => (bins === undefined ? [] : [[key, bins.n] as const])))
  }

  async #beClient(): Promise<void> {
    while (!this.#ends) {
      const kind = this.#random.below(10)
      if (kind < 4) await this.#insert()
      else if (kind < 7) await this.#read()
      else if (kind < 9) await this.#add(this.#random.below(COUNTERS))
      else await this.#remove()
    }
  }

  async #insert(): Promise<void> {
    const key = this.#next
    this.#next += 1
    const told = await this.#ask('PUT', this.#path('s', key), { n: key }, { 'if-none-match': '*' })
    this.#known.set(key, told === 'good' ? 'there' : told === 'uncertain' ? 'either' : 'gone')
  }

  async #read(): Promise<void> {
    const key = this.#oneThere()
    if (key === undefined) return
    const begun = performance.now()
    const answer = await send(this.#gateway, 'GET', this.#path('s', key))
    const text = await answer.text()
    if (answer.ok) expect(JSON.parse(text)).toMatchObject({ bins: { n: key } })
    // Another client may have begun to delete it.
    else if (answer.status === 404) expect(this.#known.get(key)).not.toBe('there')
    this.#note(begun, answer.ok || answer.status === 404, text, 'read')
  }

  async #add(counter: number): Promise<void> {
    const sums = this.#sums[counter]
    if (sums === undefined) return
    const path = `/v1/operate/${this.#namespace}/counters/${counter}?keytype=INTEGER`
    const told = await this.#ask('POST', path, [{ operation: 'ADD', opValues: { bin: 'n', incr: 1 } }])
    if (told === 'good') sums.sure += 1
    else if (told === 'uncertain') sums.open += 1
  }

  async #remove(): Promise<void> {
    const key = this.#oneThere()
    if (key === undefined) return
    this.#known.set(key, 'either')
    const told = await this.#ask('DELETE', this.#path('s', key))
    if (told !== 'uncertain') this.#known.set(key, told === 'good' ? 'gone' : 'there')
  }

  /** A record that is there, if one is found at once. */
  #oneThere(): number | undefined {
    const key = this.#random.below(Math.max(1, this.#next))
    return this.#known.get(key) === 'there' ? key : undefined
  }

  async #ask(
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<'good' | 'uncertain' | 'refused'> {
    const begun = performance.now()
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await fetch(this.#gateway.url + path, {
      method,
      headers: { authorization: `Bearer ${this.#gateway.token}`, ...type, ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return this.#note(begun, answer.ok, await answer.text(), 'acknowledged')
  }

  /** There was no good answer until now since the last one. */
  #stands(now: number): void {
    if (now - this.#lastGood <= this.#told.stallMs) return
    this.#told.stallMs = now - this.#lastGood
    this.#told.stallAfterMs = Math.max(0, this.#lastGood - this.#since)
  }

  #note(begun: number, ok: boolean, text: string, good: 'acknowledged' | 'read'): 'good' | 'uncertain' | 'refused' {
    const now = performance.now()
    this.#told.slowestMs = Math.max(this.#told.slowestMs, now - begun)
    if (ok) {
      this.#stands(now)
      this.#lastGood = now
      this.#told[good] += 1
      return 'good'
    }
    // An error of `/v1` has no code, but says whether the write is in doubt.
    const { code, inDoubt } = JSON.parse(text) as { code?: string; inDoubt?: boolean }
    const uncertain = inDoubt ?? code === 'write_uncertain'
    if (!uncertain && code !== undefined) expect(code, text).toBe('cluster_unavailable')
    this.#told[uncertain ? 'uncertain' : 'refused'] += 1
    return uncertain ? 'uncertain' : 'refused'
  }
}
