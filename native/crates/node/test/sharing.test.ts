import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { text as read } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { attachStore, listeningAgain, listeningSocket, listenTogether, stopListening, tallyOf } from '../dist/index.js'
import { asRecord, failure, open, put, text } from './store.js'

const addon = new URL('../dist/index.js', import.meta.url).href

/** Runs `code` in a thread with the functions of the package as `native`; it ends after that. */
async function thread(code: string, handle: number): Promise<unknown> {
  const whole = `const { parentPort, workerData } = require('node:worker_threads')
import(workerData.addon).then(async (native) => { parentPort.postMessage(await (${code})(native, workerData.handle)) })`
  const worker = new Worker(whole, { eval: true, workerData: { addon, handle }, execArgv: [] })
  const [[message]] = (await Promise.all([once(worker, 'message'), once(worker, 'exit')])) as [[unknown], unknown]
  return message
}

test('threads share a store, and one that ends leaves nothing behind', async () => {
  const store = await open()
  const handle = store.share()
  expect(store.share()).toBe(handle)
  await put(store, 'ada', { n: 1 })
  const seen = await thread(
    `async ({ attachStore, tallyOf }, handle) => {
      const store = attachStore(handle)
      const found = await store.getRecord('ns', 's', { type: 'string', value: 'ada' }, { shape: 'record' })
      await store.putRecord('ns', 's', { type: 'string', value: 'eve' }, Buffer.from('{"n":2}'), { exists: 'upsert', shape: 'record' })
      const tally = tallyOf(handle)
      return [String(found), tally.enter('all', 2), tally.enter('all', 2), tally.enter('all', 2), tally.count('all')]
    }`,
    handle,
  )
  expect(seen).toEqual([expect.stringContaining('"n":1'), true, true, false, 2])
  expect(String(await store.getRecord('ns', 's', text('eve'), asRecord))).toContain('"n":2')
  expect(tallyOf(handle).count('all')).toBe(0)
})

test('counts are left by who has entered', async () => {
  const handle = (await open()).share()
  const [one, other] = [tallyOf(handle), tallyOf(handle)]
  expect([one.enter('net', 1), other.enter('net', 1), other.count('net')]).toEqual([true, false, 1])
  other.leave('net')
  expect(one.count('net')).toBe(1)
  one.leave('net')
  expect([one.count('net'), other.enter('net', 0), other.enter('net', 1)]).toEqual([0, false, true])
})

async function freePort(): Promise<number> {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as { port: number }
  free.close()
  await once(free, 'close')
  return port
}

test('sockets on one port each get connections, and a copy outlives its thread', async () => {
  const handle = (await open()).share()
  const port = await freePort()
  listenTogether(handle, '127.0.0.1', port, 64, 2)
  const accepted = [0, 0]
  const sockets: Socket[] = []
  const servers = [0, 1].map((place) =>
    createServer((socket) => {
      accepted[place] = (accepted[place] ?? 0) + 1
      sockets.push(socket)
    }).listen({ fd: listeningSocket(handle, place) }),
  )
  const clients = Array.from({ length: 64 }, () => connect(port, '127.0.0.1'))
  await expect.poll(() => sockets.length).toBe(64)
  expect(accepted.every((count) => count > 0)).toBe(true)
  for (const socket of [...clients, ...sockets]) socket.destroy()
  for (const server of servers) server.close()
  stopListening(handle)
  expect((await failure(() => listeningSocket(handle, 0))).code).toBe('config_invalid')
})

test('a socket that listens is listened at once more, and one that is not open is refused', async () => {
  const handle = (await open()).share()
  const port = await freePort()
  listenTogether(handle, '127.0.0.1', port, 64, 1)
  const first = listeningSocket(handle, 0)
  const servers = [first, listeningAgain(first)].map((fd) => createServer((socket) => socket.end('ok')).listen({ fd }))
  stopListening(handle)
  servers[0]?.close()
  expect(await read(connect(port, '127.0.0.1'))).toBe('ok')
  servers[1]?.close()
  for (const none of [-1, 1_000_000_000])
    expect((await failure(() => listeningAgain(none))).code).toBe('storage_failed')
})

test('what cannot be shared is refused by code', async () => {
  const store = await open()
  const handle = store.share()
  expect((await failure(() => listenTogether(handle, 'localhost', 7000, 1, 1))).code).toBe('config_invalid')
  expect((await failure(() => attachStore(handle + 1000))).code).toBe('closed')
  await store.close()
  expect((await failure(() => attachStore(handle))).code).toBe('closed')
  expect((await failure(() => tallyOf(handle))).code).toBe('closed')
})
