// What one server promises, with several workers: connections from everywhere, one place that knows.
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { bearer, type Gateway, useGateway } from '../gateway.js'
import { client, threadOf, withClients } from './clients.js'

const gateway = useGateway({ workers: 2, connectionsPerAddressMax: 400, overloadDelayMs: 0 })
const small = useGateway({ workers: 2, connectionsMax: 8, connectionsPerAddressMax: 8, overloadDelayMs: 0 })

const record = '/api/v1/namespaces/ns/sets/s/records/ada'

async function withRecord(to: Gateway): Promise<number> {
  const names = await to.ok<{ items: { config: { name: string } }[] }>('GET /api/v1/namespaces')
  if (names.items.length === 0) await to.memoryNamespace('ns')
  await to.put('ns/sets/s/records/ada', { name: 'Ada' })
  return to.port
}

async function newToken(to: Gateway, more: object = {}): Promise<{ id: string; headers: Record<string, string> }> {
  const body = { name: `t${Math.random().toString(36).slice(2)}`, grants: [{ role: 'writer' }], ...more }
  const made = await to.ok<{ token: string; id: string }>('POST /api/v1/tokens', { body })
  return { id: made.id, headers: { authorization: `Bearer ${made.token}` } }
}

test('connections are spread over the workers, and both answer the same', async () => {
  const port = await withRecord(gateway())
  const said = await withClients(port, 64, (clients) => Promise.all(clients.map((one) => one.send(`GET ${record}`))))
  expect(new Set(said.map(({ status, body }) => `${status} ${body}`)).size).toBe(1)
  expect(new Set(said.map(threadOf)).size).toBe(2)
})

test('what a worker does not answer itself comes from the main thread', async () => {
  const port = await withRecord(gateway())
  const said = await withClients(port, 32, (clients) =>
    Promise.all(clients.map((one) => one.send('GET /api/v1/status'))),
  )
  expect(new Set(said.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(said.map(threadOf)).size).toBe(1)
})

test('nobody is let in with a token after its revocation was answered', async () => {
  const to = gateway()
  const port = await withRecord(to)
  const { id, headers } = await newToken(to)
  let revoked = false
  const late: number[] = []
  let served = 0
  let under = 0
  await withClients(port, 50, async (clients) => {
    const hammering = clients.map(async (one) => {
      for (let after = 0; after < 5;) {
        const beganLate = revoked
        under += 1
        const { status } = await one.send(`GET ${record}`, undefined, headers)
        if (status === 200) served += 1
        if (!beganLate) continue
        after += 1
        late.push(status)
      }
    })
    await expect.poll(() => served).toBeGreaterThan(500)
    await to.ok(`DELETE /api/v1/tokens/${id}`)
    revoked = true
    await Promise.all(hammering)
  })
  expect(under).toBeGreaterThan(500)
  expect(late.filter((status) => status !== 401 && status !== 429)).toEqual([])
  expect(late).toHaveLength(250)
})

test('a limit of requests holds over all workers', async () => {
  const to = gateway()
  const port = await withRecord(to)
  const { headers } = await newToken(to, { limits: { requestsPerSecond: 1, burst: 3600, requestsAtOnce: 0 } })
  const { headers: few } = await newToken(to, { limits: { requestsPerSecond: 1, burst: 5, requestsAtOnce: 0 } })
  const said = await withClients(port, 32, (all) =>
    Promise.all(all.map((one) => one.send(`GET ${record}`, undefined, headers))),
  )
  expect(said.filter(({ status }) => status === 200)).toHaveLength(32)
  const beganMs = performance.now()
  const bounded = await withClients(port, 32, (all) =>
    Promise.all(all.map((one) => one.send(`GET ${record}`, undefined, few))),
  )
  const gained = Math.ceil((performance.now() - beganMs) / 1000)
  const served = bounded.filter(({ status }) => status === 200).length
  expect(served).toBeGreaterThanOrEqual(5)
  expect(served).toBeLessThanOrEqual(5 + gained)
})

test('the main thread sees the address of a client, and believes no other', async () => {
  const port = await withRecord(gateway())
  const forged = { 'x-tessera-client': 'x 1 1 1 203.0.113.9', authorization: 'Bearer wrong' }
  await withClients(
    port,
    1,
    ([one]) => one?.send('GET /api/v1/status', undefined, forged) ?? Promise.reject(new Error('none')),
  )
  await gateway().app.auditFloods.close()
  const { items } = await gateway().ok<{ items: { address?: string }[] }>('GET /api/v1/audit')
  const addresses = new Set(items.flatMap(({ address }) => address ?? []))
  expect(addresses).toContain('127.0.0.1')
  expect(addresses).not.toContain('203.0.113.9')
})

test('200 live clients that do not read keep nobody waiting', async () => {
  const port = await withRecord(gateway())
  const agent = new Agent({ maxSockets: 200 })
  const live = await Promise.all(
    Array.from(
      { length: 200 },
      () =>
        new Promise<IncomingMessage>((resolve, reject) => {
          get({ port, path: '/api/v1/live', agent, headers: bearer }, (answer) => resolve(answer.pause())).once(
            'error',
            reject,
          )
        }),
    ),
  )
  expect(new Set(live.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  expect(gateway().app.feed.size).toBe(200)
  const said = await withClients(port, 32, (all) => Promise.all(all.map((one) => one.send(`GET ${record}`))))
  expect(new Set(said.map(({ status }) => status))).toEqual(new Set([200]))
  agent.destroy()
  await expect.poll(() => gateway().app.feed.size).toBe(0)
})

test('idle connections of any worker make room for others', async () => {
  const port = await withRecord(small())
  const idle = await Promise.all(
    Array.from(
      { length: 24 },
      () =>
        new Promise<Socket>((resolve) => {
          const socket: Socket = connect(port, '127.0.0.1', () => resolve(socket)).on('error', () => socket.destroy())
        }),
    ),
  )
  const one = client(port)
  const said = await one.send(`GET ${record}`)
  expect(said.status).toBe(200)
  await expect.poll(() => small().app.crew?.figures().connections.open).toBeLessThanOrEqual(8)
  one.close()
  for (const socket of idle) socket.destroy()
})

test('a change of the settings reaches all workers', async () => {
  const { app, port } = gateway()
  app.config.hosts = ['elsewhere']
  app.crew?.configure(app.config)
  await withClients(port, 32, async (all) => {
    const refused = async (): Promise<boolean> => {
      const said = await Promise.all(all.map((one) => one.send(`GET ${record}`)))
      return said.every(({ status, body }) => status === 403 && body.includes('host_refused'))
    }
    await expect.poll(refused).toBe(true)
  })
  app.config.hosts = []
  app.crew?.configure(app.config)
  await withClients(port, 1, async ([one]) => {
    await expect.poll(async () => (await one?.send(`GET ${record}`))?.status).toBe(200)
  })
})

// The last one: from here on, unknown tokens from this address have to wait.
test('a token that was refused in one worker is refused in all, and a good one is let in', async () => {
  const to = gateway()
  const port = await withRecord(to)
  const { headers } = await newToken(to)
  const first = await withClients(port, 16, (all) =>
    Promise.all(all.map((one) => one.send(`GET ${record}`, undefined, headers))),
  )
  expect(new Set(first.map(({ status }) => status))).toEqual(new Set([200]))
  const wrong = await withClients(port, 40, (all) =>
    Promise.all(all.map((one, at) => one.send(`GET ${record}`, undefined, { authorization: `Bearer wrong-${at}` }))),
  )
  expect(wrong.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
  const still = await withClients(port, 16, (all) =>
    Promise.all(all.map((one) => one.send(`GET ${record}`, undefined, headers))),
  )
  expect(new Set(still.map(({ status }) => status))).toEqual(new Set([200]))
})
