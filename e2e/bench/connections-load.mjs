// The load of `connections`, in a process of its own: opens one connection after the other, sends a part of a head on each, and keeps
// them until the gateway closes them. Answers one line of JSON at the end.
import { connect } from 'node:net'

const [port, count, parallel, seconds] = process.argv.slice(2).map(Number)
/** So many addresses of this machine take turns: one has about 28,000 ports. */
const ADDRESSES = 16
/** Parts of heads: nothing at all, and some that never end. */
const PARTS = ['', 'G', 'GET /healthz HTTP/1.1\r\nhost: a\r\n', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(4000)}`]

let [tried, connected, failed, closed] = [0, 0, 0, 0]

/** @returns {Promise<void>} */
const open = () =>
  new Promise((resolve) => {
    const n = tried
    tried += 1
    const socket = connect({ port: port ?? 0, host: '127.0.0.1', localAddress: `127.0.0.${2 + (n % ADDRESSES)}` })
    socket.once('connect', () => {
      connected += 1
      socket.write(PARTS[n % PARTS.length] ?? '')
      resolve()
    })
    socket.once('error', () => {
      failed += 1
      resolve()
    })
    socket.once('close', () => (closed += 1))
    socket.resume()
  })

const began = performance.now()
const ends = began + (seconds ?? 0) * 1000
const isOver = () => tried >= (count ?? 0) || performance.now() >= ends
await Promise.all(
  Array.from({ length: parallel ?? 1 }, async () => {
    while (!isOver()) await open()
  }),
)
console.log(JSON.stringify({ tried, connected, failed, closed, seconds: (performance.now() - began) / 1000 }))
process.exit(0)
