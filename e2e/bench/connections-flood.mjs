// The clients of `connections`: several processes, because each may open only so many files.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** @typedef {{ tried: number, connected: number, failed: number, closed: number, answered: number, refused: number, open: number, seconds: number }} Taken */

const OF_ONE = 15_000
/** Connections that are being opened at the same time, over all processes. */
const PARALLEL = 64
const SECONDS_MAX = 900

export class Flood {
  /** @type {{ child: import('node:child_process').ChildProcess, lines: AsyncIterator<string> }[]} */
  #parts = []

  /** @param {{ url: string, token: string }} gateway @param {string} kind @param {number} count @returns {Promise<Taken>} */
  async open({ url, token }, kind, count) {
    const file = fileURLToPath(new URL('connections-load.mjs', import.meta.url))
    const parts = Math.ceil(count / OF_ONE)
    for (let n = 0; n < parts; n += 1) {
      const share = Math.floor(((n + 1) * count) / parts) - Math.floor((n * count) / parts)
      const numbers = [new URL(url).port, share, Math.ceil(PARALLEL / parts), SECONDS_MAX].map(String)
      const child = spawn(process.execPath, [file, kind, token, ...numbers], { stdio: ['pipe', 'pipe', 2] })
      const lines = createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) })
      this.#parts.push({ child, lines: lines[Symbol.asyncIterator]() })
    }
    return this.#taken()
  }

  /** Another request on each connection. */
  again() {
    return this.#asked('again')
  }

  /** How they stand now. */
  tell() {
    return this.#asked('tell')
  }

  /** @param {string} what */
  #asked(what) {
    for (const { child } of this.#parts) child.stdin?.write(`${what}\n`)
    return this.#taken()
  }

  async close() {
    await Promise.all(
      this.#parts.map(async ({ child }) => {
        const ended = child.exitCode === null ? once(child, 'exit') : undefined
        child.stdin?.end()
        await ended
      }),
    )
    this.#parts = []
  }

  /** What all of them have, together. @returns {Promise<Taken>} */
  async #taken() {
    const all = await Promise.all(
      this.#parts.map(async ({ lines }) => {
        const { value, done } = await lines.next()
        if (done === true) throw new Error('a part of the load has ended')
        return /** @type {Taken} */ (JSON.parse(value))
      }),
    )
    const sum = (/** @type {keyof Taken} */ name) => all.reduce((whole, one) => whole + one[name], 0)
    return {
      tried: sum('tried'),
      connected: sum('connected'),
      failed: sum('failed'),
      closed: sum('closed'),
      answered: sum('answered'),
      refused: sum('refused'),
      open: sum('open'),
      seconds: Math.max(...all.map(({ seconds }) => seconds)),
    }
  }
}
