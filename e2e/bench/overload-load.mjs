// The load of `overload`, in a process of its own: GETs of records over many connections, either the next one after each answer, or at a
// rate whatever comes back, several on a connection at once. Reads a line of JSON for each run, and answers each with one.
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

/** @typedef {{ host: string, port: number, token: string, path: string, keys: number, connections: number, seconds: number, rate: number, openMax?: number }} Run `rate` 0: the next after each answer; `openMax`: most requests of a connection that are not answered; what is due beyond them is not sent */
/** @typedef {{ good: number, refused: number, other: number, offered: number, seconds: number, p50Ms: number, p99Ms: number }} Outcome times of those that were served, since they were sent */

const TICK_MS = 20
const OPEN_MAX = 64
/** Requests that a connection gets at once. */
const BURST = 8
const HEAD = Buffer.from('HTTP/1.1 ')

/** @param {Run} run @returns {Promise<Outcome>} */
async function drive({ host, port, token, path, keys, connections, seconds, rate, openMax = OPEN_MAX }) {
  const outcome = { good: 0, refused: 0, other: 0, offered: 0, seconds }
  /** @type {number[]} */
  const served = []
  let key = 0
  const request = () => {
    key = (key + 7919) % keys
    return `GET ${path.replace('{key}', String(key))} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`
  }
  let stopped = false
  const lines = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(port, host)
      /** @type {{ socket: import('node:net').Socket, open: number, sentMs: number[] }} */
      const line = { socket, open: 0, sentMs: [] }
      let rest = Buffer.alloc(0)
      socket.on('error', () => undefined)
      socket.on('data', (chunk) => {
        const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
        let at = text.indexOf(HEAD)
        for (; at >= 0 && at + 12 <= text.length; at = text.indexOf(HEAD, at + 12)) {
          const status = text.toString('latin1', at + 9, at + 12)
          const sentMs = line.sentMs.shift() ?? 0
          if (status === '200') {
            outcome.good += 1
            served.push(performance.now() - sentMs)
          } else if (status === '503') outcome.refused += 1
          else outcome.other += 1
          line.open -= 1
          if (rate === 0 && !stopped) send(line, 1)
        }
        // A head that is cut off is read with what follows.
        rest = Buffer.from(text.subarray(at >= 0 ? at : Math.max(0, text.length - HEAD.length + 1)))
      })
      await new Promise((resolve) => {
        socket.once('connect', resolve)
        socket.once('error', resolve)
      })
      return line
    }),
  )
  /** @param {{ socket: import('node:net').Socket, open: number, sentMs: number[] }} line @param {number} count */
  const send = (line, count) => {
    let text = ''
    const nowMs = performance.now()
    for (let n = 0; n < count; n += 1) {
      text += request()
      line.sentMs.push(nowMs)
    }
    line.open += count
    outcome.offered += count
    line.socket.write(text)
  }
  if (rate === 0) for (const line of lines) send(line, 1)
  const began = performance.now()
  let due = 0
  let next = 0
  const ticks = setInterval(() => {
    if (rate === 0) return
    const wanted = ((performance.now() - began) / 1000) * rate
    // Every connection gets some in its turn, so that none is written to for a single request.
    for (let tried = 0; due < wanted && tried < lines.length; tried += 1) {
      const line = lines[next % lines.length]
      next += 1
      if (line === undefined) break
      const count = Math.min(BURST, openMax, Math.ceil(wanted - due))
      due += count
      const room = Math.min(count, openMax - line.open)
      outcome.offered += count - Math.max(0, room)
      if (room > 0) send(line, room)
    }
  }, TICK_MS)
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  stopped = true
  clearInterval(ticks)
  served.sort((a, b) => a - b)
  /** @param {number} share */
  const quantile = (share) => served[Math.max(0, Math.ceil(served.length * share) - 1)] ?? 0
  const result = {
    ...outcome,
    seconds: (performance.now() - began) / 1000,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  }
  for (const { socket } of lines) socket.destroy()
  return result
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await drive(/** @type {Run} */ (JSON.parse(line)))))
}
