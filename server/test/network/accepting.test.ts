// Many clients that connect at once are accepted in few turns of the event loop.
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { BACKLOG } from '../../src/network/accepting.js'
import { useGateway } from '../gateway.js'
import { turnsUntil } from '../turns.js'

const CLIENTS = 160
/** More than the 511 that wait if nobody says how many may. */
const BURST = 700
/** As many as the system lets wait; other systems than Linux do not say. */
const SYSTEM = '/proc/sys/net/core/somaxconn'
const PLACES = existsSync(SYSTEM) ? Number(readFileSync(SYSTEM, 'utf8')) : 0

/** Connects, says so in the shared number, and reads the answers of all. */
const clients = `
  const { workerData: { port, count, connected }, parentPort } = require('node:worker_threads')
  const { connect } = require('node:net')
  const seen = new Int32Array(connected)
  let answers = 0
  for (let at = 0; at < count; at += 1) {
    const socket = connect(port, '127.0.0.1', () => {
      if (Atomics.add(seen, 0, 1) + 1 === count) Atomics.notify(seen, 0)
      socket.end('GET /healthz HTTP/1.1\\r\\nhost: localhost\\r\\nconnection: close\\r\\n\\r\\n')
    })
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    socket.on('close', () => {
      if (text.startsWith('HTTP/1.1 200')) answers += 1
      if (++closed === count) parentPort.postMessage(answers)
    })
  }
  let closed = 0
`

const gateway = useGateway()

test('a turn accepts many, and each is answered', async () => {
  const { app } = gateway()
  await app.listen({ host: '127.0.0.1', port: 0, backlog: BACKLOG })
  const { port } = app.server.address() as AddressInfo
  const connected = new SharedArrayBuffer(4)
  const seen = new Int32Array(connected)
  const worker = new Worker(clients, { eval: true, workerData: { port, count: CLIENTS, connected } })
  const answers = once(worker, 'message') as Promise<[number]>
  const turns: number[] = []
  let turn = 0
  app.server.on('connection', () => turns.push(turn))
  await once(worker, 'online')
  // The kernel connects them while nothing is accepted here.
  for (let count = 0; count < CLIENTS; count = Atomics.load(seen, 0)) Atomics.wait(seen, 0, count)
  while (turns.length < CLIENTS) {
    turn += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(turn).toBeLessThan(CLIENTS / 8)
  expect(await answers).toEqual([CLIENTS])
})

test.skipIf(PLACES < BURST)('a burst waits at the socket until the event loop comes to it', async () => {
  const { app } = gateway()
  const { port } = app.server.address() as AddressInfo
  const connected = new SharedArrayBuffer(4)
  const seen = new Int32Array(connected)
  const worker = new Worker(clients, { eval: true, workerData: { port, count: BURST, connected } })
  const answers = once(worker, 'message') as Promise<[number]>
  await once(worker, 'online')
  // Nothing is accepted here meanwhile. Who finds no room is not connected, however often they try.
  let stuck = 0
  for (let count = 0; count < BURST && stuck < 60; count = Atomics.load(seen, 0)) {
    stuck = Atomics.wait(seen, 0, count, 500) === 'timed-out' && Atomics.load(seen, 0) === count ? stuck + 1 : 0
  }
  expect(Atomics.load(seen, 0)).toBe(BURST)
  expect(await answers).toEqual([BURST])
})

test('a server that closes accepts no more, and has ended all that it accepted', async () => {
  const { app } = gateway()
  const { port } = app.server.address() as AddressInfo
  const accepted: Socket[] = []
  app.server.on('connection', (socket) => accepted.push(socket))
  const clients = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1'))
  await turnsUntil(() => accepted.length === CLIENTS)
  await app.close()
  expect(accepted.filter(({ destroyed }) => !destroyed)).toEqual([])
  const late = connect(port, '127.0.0.1')
  expect(await once(late, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }])
  for (const client of clients) client.destroy()
})
