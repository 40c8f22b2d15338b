// Writers for `backup-load`: single records at a steady rate, whatever the answers take, each timed from when it was due.
import { Agent, request } from 'node:http'
import { quantile } from './figures.mjs'
import { binsOf } from './backup-records.mjs'

/** @typedef {import('./gateway.mjs').Gateway} Gateway */
/** @typedef {import('./backup-records.mjs').Versions} Versions */
/** @typedef {import('./backup-records.mjs').Write} Write */

const CONNECTIONS = 64
const TICK_MS = 2

export class SteadyWrites {
  #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  /** @type {Set<number>} */
  #busy = new Set()
  /** @type {number[]} */
  #delays = []
  /** @type {Write[]} */
  #writes = []
  #failed = 0
  /** @type {NodeJS.Timeout | undefined} */
  #ticks
  #gateway
  #versions
  #keys
  #rate
  #began = 0
  #due = 0

  /** @param {Gateway} gateway @param {Versions} versions @param {number} keys @param {number} rate writes a second */
  constructor(gateway, versions, keys, rate) {
    this.#gateway = gateway
    this.#versions = versions
    this.#keys = keys
    this.#rate = rate
  }

  begin() {
    this.#began = performance.now()
    this.#ticks = setInterval(() => this.#tick(), TICK_MS)
  }

  /** What was written since the last look, and how long the answers took. */
  take() {
    const delays = this.#delays.sort((a, b) => a - b)
    const taken = { delays, writes: this.#writes, failed: this.#failed }
    this.#delays = []
    this.#writes = []
    this.#failed = 0
    return { ...taken, p50Ms: quantile(delays, 0.5), p99Ms: quantile(delays, 0.99), maxMs: quantile(delays, 1) }
  }

  /** Resolves when the last answer is there. */
  async end() {
    clearInterval(this.#ticks)
    while (this.#busy.size > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS))
    this.#agent.destroy()
  }

  #tick() {
    const now = performance.now()
    for (; this.#due <= ((now - this.#began) / 1000) * this.#rate; this.#due += 1)
      this.#write(this.#began + (this.#due / this.#rate) * 1000)
  }

  /** @param {number} dueAt */
  #write(dueAt) {
    let key = Math.floor(Math.random() * this.#keys)
    // One at a time for each record, so that their order is known.
    while (this.#busy.has(key)) key = Math.floor(Math.random() * this.#keys)
    this.#busy.add(key)
    const version = (this.#versions.of[key] ?? 0) + 1
    const body = JSON.stringify(binsOf(key, version))
    const sentMs = Date.now()
    const done = (/** @type {boolean} */ ok) => {
      this.#delays.push(performance.now() - dueAt)
      this.#busy.delete(key)
      if (!ok) this.#failed += 1
      else {
        this.#versions.of[key] = version
        this.#writes.push({ key, version, sentMs, ackedMs: Date.now() })
      }
    }
    const call = request(`${this.#gateway.url}/api/v1/namespaces/bench/sets/kb/records/${key}`, {
      method: 'PUT',
      agent: this.#agent,
      headers: {
        authorization: `Bearer ${this.#gateway.token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    })
    call.on('response', (answer) => {
      answer.resume().once('end', () => done(answer.statusCode !== undefined && answer.statusCode < 300))
    })
    call.on('error', () => done(false))
    call.end(body)
  }
}
