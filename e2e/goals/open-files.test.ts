// A gateway whose process may open no file any more: it goes on serving those that it has, and takes others when it can again.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

const FILES = 400
const CLIENTS = 600

const home = newHome()
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway(home, [], { TESSERA_CONNECTIONS: '100000' })
  const limited = spawnSync('prlimit', ['--pid', String(gateway.pid), `--nofile=${FILES}:${FILES}`], {
    encoding: 'utf8',
  })
  expect(limited.status, limited.stderr).toBe(0)
})

afterAll(async () => {
  await gateway.stop()
  removeHome(home)
})

/** The status of /healthz, or why there is none. */
const health = (agent: Agent): Promise<number | string | undefined> =>
  new Promise((resolve) => {
    get(`${gateway.url}/healthz`, { agent }, (answer) =>
      answer.resume().once('end', () => resolve(answer.statusCode)),
    ).on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
  })

test('without a file left, open connections are served, and new ones as soon as others have gone', async () => {
  const kept = new Agent({ keepAlive: true, maxSockets: 1 })
  expect(await health(kept)).toBe(200)
  const { hostname, port } = new URL(gateway.url)
  let ended = 0
  const sockets: Socket[] = []
  for (let n = 0; n < CLIENTS; n += 1) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined).once('close', () => (ended += 1))
    sockets.push(socket)
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  }
  // Those for which there was no file are closed.
  await expect.poll(() => ended).toBeGreaterThan(CLIENTS - FILES)
  expect(ended).toBeLessThan(CLIENTS)
  expect(await health(kept)).toBe(200)
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => health(new Agent())).toBe(200)
  expect(await health(kept)).toBe(200)
  kept.destroy()
})
