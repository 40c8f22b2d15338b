// A part of the load of `connections`, in a process of its own: opens one connection after the other, and keeps them. Prints a line of
// JSON when all are open. On its input, `tell` asks for another such line, `again` for another round of requests before it, and the end of
// the input for the end of all.
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

const [kind, token] = process.argv.slice(2)
const [port, count, parallel, seconds] = process.argv.slice(4).map(Number)
/** So many addresses of this machine take turns: one has about 28,000 ports. */
const ADDRESSES = 16

const whole = `GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n`
/** Only the half of a body: its request is at work until the gateway has waited for long enough. */
const half =
  `PUT /api/v1/namespaces/held/sets/s/records/k HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n` +
  `content-type: application/json\r\ncontent-length: 64\r\n\r\n{"a":`
/** What is sent on a connection, in turn. @type {Record<string, string[]>} */
const TEXTS = {
  part: ['', 'G', 'GET /healthz HTTP/1.1\r\nhost: a\r\n', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(4000)}`],
  whole: [whole],
  busy: [half],
}
const texts = TEXTS[kind ?? ''] ?? []

let [tried, connected, failed, closed, answered, refused] = [0, 0, 0, 0, 0, 0]
/** @type {Set<import('node:net').Socket>} */
const open = new Set()
/** Called for each answer, and for each end. @type {Map<import('node:net').Socket, () => void>} */
const waiting = new Map()

/** @param {import('node:net').Socket} socket @returns {Promise<void>} */
const answerOf = (socket) =>
  new Promise((resolve) => {
    waiting.set(socket, () => {
      waiting.delete(socket)
      resolve()
    })
  })

/** @returns {Promise<void>} */
async function openOne() {
  const n = tried
  tried += 1
  const socket = connect({ port: port ?? 0, host: '127.0.0.1', localAddress: `127.0.0.${2 + (n % ADDRESSES)}` })
  socket.on('data', (chunk) => {
    if (chunk.includes('HTTP/1.1 200')) answered += 1
    if (chunk.includes('HTTP/1.1 503')) refused += 1
    waiting.get(socket)?.()
  })
  socket.once('close', () => {
    if (open.delete(socket)) closed += 1
    waiting.get(socket)?.()
  })
  const isOpen = await new Promise((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.on('error', () => resolve(false))
  })
  if (isOpen !== true) {
    failed += 1
    return
  }
  connected += 1
  open.add(socket)
  socket.write(texts[n % texts.length] ?? '')
  if (kind === 'whole') await answerOf(socket)
}

const began = performance.now()
const ends = began + (seconds ?? 0) * 1000
const isOver = () => tried >= (count ?? 0) || performance.now() >= ends
await Promise.all(
  Array.from({ length: parallel ?? 1 }, async () => {
    while (!isOver()) await openOne()
  }),
)
tell()

createInterface({ input: process.stdin })
  .on('line', (line) => void (line === 'again' ? again() : tell()))
  .once('close', () => process.exit(0))

/** Another request on each connection that is still open. */
async function again() {
  answered = 0
  await Promise.all(
    Array.from(open, (socket) => {
      const answer = answerOf(socket)
      socket.write(whole)
      return answer
    }),
  )
  tell()
}

function tell() {
  const taken = { tried, connected, failed, closed, answered, refused, open: open.size }
  console.log(JSON.stringify({ ...taken, seconds: (performance.now() - began) / 1000 }))
}
