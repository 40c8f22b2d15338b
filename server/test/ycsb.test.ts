// The HTTP face for YCSB's own client: requests as its REST binding sends them, and the workloads of the API.
import { once } from 'node:events'
import { type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { TOKEN, useGateway } from './gateway.js'

/** What the binding sends where its settings say nothing else, on reads and deletes too. */
const asClient = { accept: '*/*', 'content-type': 'application/xml', 'user-agent': 'Mozilla/5.0' }

describe.each(['memory', 'device'])('/ycsb on %s', (engine) => {
  const gateway = useGateway()
  const U = '/ycsb/bench/usertable'

  beforeAll(async () => {
    await gateway().ok('POST /api/v1/namespaces', { body: { name: 'bench', storage: { engine }, segments: 16 } })
  })

  test('a record comes back as it was sent, whatever it holds', async () => {
    const { send } = gateway()
    for (const [at, body] of [
      Buffer.from('plain'),
      Buffer.from('{"not":"parsed"'),
      Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
      Buffer.alloc(100_000, 'x'),
    ].entries()) {
      const written = await send(`${at % 2 === 0 ? 'POST' : 'PUT'} ${U}/user${at}`, { body, headers: asClient })
      expect(written.status, written.text).toBe(201)
      expect(written.json()).toMatchObject({ created: true, generation: 1 })
      const raw = await gateway().app.inject({
        method: 'GET',
        url: `${U}/user${at}`,
        headers: { ...asClient, authorization: `Bearer ${TOKEN}` },
      })
      expect(raw.statusCode).toBe(200)
      expect(raw.rawPayload.equals(body)).toBe(true)
      expect(raw.headers['content-type']).toBe('application/octet-stream')
    }
  })

  test('an insert of a key that is there and an update replace the record', async () => {
    const { send, ok } = gateway()
    for (const [generation, method] of ['POST', 'POST', 'PUT'].entries()) {
      const answer = await send(`${method} ${U}/again`, { body: `v${generation}`, headers: asClient })
      expect([answer.status, answer.json()['generation']]).toEqual([generation === 0 ? 201 : 200, generation + 1])
    }
    expect((await send(`GET ${U}/again`, { headers: asClient })).text).toBe('v2')
    expect(await ok('GET /api/v1/namespaces/bench/sets/usertable/records/again')).toMatchObject({
      bins: { data: { $bytes: 'djI=' } },
    })
  })

  test('a delete answers nothing, a second one that there is none', async () => {
    const { send } = gateway()
    await send(`POST ${U}/gone`, { body: 'x', headers: asClient })
    const deleted = await send(`DELETE ${U}/gone`, { headers: asClient })
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    for (const method of ['DELETE', 'GET']) {
      const answer = await send(`${method} ${U}/gone`, { headers: asClient })
      expect([answer.status, answer.json()['code']]).toEqual([404, 'record_not_found'])
    }
  })

  test('a record that the load tool made is read as a record object', async () => {
    const { ok, send } = gateway()
    const run = await ok<{ result: object }>('POST /api/v1/workloads?wait=30s', {
      body: { namespace: 'bench', workload: 'YCSB,LOAD', keys: 100, threads: 2 },
    })
    expect(run).toMatchObject({ state: 'done', spec: { set: 'usertable', bins: 10, object: 'S:100' } })
    // The first key of YCSB's own load.
    const answer = await send(`GET ${U}/user6284781860667377211`, { headers: asClient })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json'])
    const { bins } = answer.json<{ bins: Record<string, string> }>()
    expect(Object.keys(bins)).toEqual(Array.from({ length: 10 }, (_, field) => `field${field}`))
    expect(bins['field9']).toHaveLength(100)
  })
})

describe('/ycsb on a socket', () => {
  const gateway = useGateway()

  /** A chunked request on a kept connection with a session's cookie, as the binding sends it. */
  async function put(
    path: string,
    body: string,
    cookie: string,
  ): Promise<{ status: number; length: string | undefined }> {
    const { port } = gateway().app.server.address() as AddressInfo
    const request = send({ port, host: '127.0.0.1', path, method: 'PUT', headers: { ...asClient, cookie } })
    request.write(body)
    request.end()
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    answer.resume()
    await once(answer, 'end')
    return { status: answer.statusCode ?? 0, length: answer.headers['content-length'] }
  }

  test('chunks and a cookie are what the client has, and every write has an answer to read', async () => {
    await gateway().memoryNamespace('bench')
    await gateway().app.listen({ port: 0, host: '127.0.0.1' })
    const login = await gateway().send('POST /api/v1/auth/login', { anonymous: true, body: { token: TOKEN } })
    const cookie = login.headers['set-cookie']?.split(';')[0] ?? ''
    expect(cookie).toMatch(/^tessera_session_[0-9a-f]{8}=[\w-]+$/)
    for (const status of [201, 200]) {
      const answer = await put('/ycsb/bench/usertable/user1', 'x'.repeat(1000), cookie)
      expect(answer.status).toBe(status)
      // Without a body to read the client leaves a thread behind for every request.
      expect(Number(answer.length)).toBeGreaterThan(0)
    }
    expect((await put('/ycsb/bench/usertable/user1', 'x', cookie.replace(/=.*/, '=none'))).status).toBe(401)
  })
})

describe('YCSB among the workloads', () => {
  const gateway = useGateway()

  test('each has its kinds of operations, with figures of each', async () => {
    const { ok } = gateway()
    await gateway().memoryNamespace('n')
    const kindsOf = {
      A: ['read', 'update'],
      C: ['read'],
      D: ['read', 'insert'],
      E: ['insert', 'scan'],
      F: ['read', 'readModifyWrite'],
      'read:50,scan:50': ['read', 'scan'],
    }
    for (const [name, kinds] of Object.entries(kindsOf)) {
      const body = { namespace: 'n', workload: `YCSB,${name}`, keys: 100, threads: 2, operations: 400, fill: true }
      const { result, spec } = await ok<{ result: { kinds: { kind: string; count: number }[] }; spec: object }>(
        'POST /api/v1/workloads?wait=30s',
        { body },
      )
      expect(result, name).toMatchObject({ operations: 400, errors: {} })
      expect(result.kinds.map(({ kind }) => kind).toSorted(), name).toEqual(kinds.toSorted())
      expect(result.kinds.reduce((sum, { count }) => sum + count, 0)).toBe(400)
      expect(result.kinds[0]).toMatchObject({ minUs: expect.any(Number), p99Us: expect.any(Number) })
      expect(spec).toMatchObject({ workload: `YCSB,${name}` })
    }
  })

  test('a page begins at a key', async () => {
    const { ok } = gateway()
    const page = (query: string) =>
      ok<{ items: { key: unknown }[] }>(`GET /api/v1/namespaces/n/sets/usertable/records?${query}`)
    const all = (await page('limit=1000')).items.map(({ key }) => key)
    expect(all.length).toBeGreaterThanOrEqual(100)
    const some = await page(`from=${String(all[40])}&limit=3`)
    expect(some.items.map(({ key }) => key)).toEqual(all.slice(40, 43))
    await gateway().put('n/sets/numbers/records/7?keytype=integer', { a: 1 })
    const numbers = await ok<{ items: object[] }>(
      'GET /api/v1/namespaces/n/sets/numbers/records?from=7&keytype=integer&limit=5',
    )
    expect(numbers.items).toMatchObject([{ key: 7 }])
  })
})
