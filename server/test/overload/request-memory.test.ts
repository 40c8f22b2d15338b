// What requests hold at once: what fits alone is never refused, what does not fit now waits for its turn.
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Status } from '../../src/schemas/server/status.js'
import { bearer, type Gateway, useGateway } from '../gateway.js'
import { turnsUntil } from '../turns.js'

const MIB = 1024 * 1024
const RECORDS = 6000
const lines = { 'content-type': 'application/x-ndjson' }
const records = 'POST /api/v1/namespaces/n/sets/s/records'
const query = 'POST /api/v1/namespaces/n/query'

/** 12 MiB of rows. */
async function fill(gateway: Gateway): Promise<void> {
  await gateway.memoryNamespace('n')
  for (let first = 0; first < RECORDS; first += 1000) {
    const body = Array.from({ length: 1000 }, (_, i) => {
      const key = first + i
      return `{"key":${key},"bins":{"i":${(key * 7919) % RECORDS},"g":"${key}${'g'.repeat(1000)}","t":"${'x'.repeat(1000)}"}}`
    }).join('\n')
    await gateway.ok(records, { body, headers: lines })
  }
}

const use = async ({ app }: Gateway) => (await app.engine.status()).requestMemory
/** Takes so many bytes of the budget, and is at work. */
function hold({ app }: Gateway, bytes: number) {
  const room = app.engine.room()
  expect(room.take(bytes)).toBe(true)
  return room
}
const ordered = (limit: number) => ({ set: 's', order: { bin: 'i' }, limit, useIndex: 'never' })

describe('the memory that requests share', () => {
  const gateway = useGateway({ requestBytes: 8 * MIB, requestPatienceMs: 60_000, defaultThreads: 2 })
  beforeAll(() => fill(gateway()))

  test('an ordered query that fits alone is answered, and many at once take turns', async () => {
    const { send, ok } = gateway()
    // 3,500 rows take about 7.5 MiB; with those that go again it would be twice as much.
    const one = await ok<{ records: { key: number }[] }>(query, { body: ordered(3500) })
    expect(one.records.length).toBe(3500)
    const answers = await Promise.all([1, 2, 3, 4].map(() => send(query, { body: ordered(3500) })))
    for (const { status, text } of answers) {
      expect(status, text).toBe(200)
      expect((JSON.parse(text) as typeof one).records).toEqual(one.records)
    }
    await turnsUntil(async () => (await use(gateway())).usedBytes === 0)
  })

  test('what does not even fit alone says so', async () => {
    const { send } = gateway()
    const order = await send(query, { body: ordered(5500) })
    expect(order.json()).toMatchObject({ status: 413, code: 'request_too_large', retryable: false })
    const grouped = (by: string[]) =>
      send(query, { body: { set: 's', group: { by, top: 10 }, aggregate: { n: { op: 'count' } }, useIndex: 'never' } })
    expect((await grouped(['g'])).status).toBe(200)
    expect((await grouped(['g', 't'])).json()).toMatchObject({ status: 413, code: 'request_too_large' })
    const steps = [{ sort: { bin: 'i', limit: 5500 } }]
    const stream = await send('POST /api/v1/namespaces/n/stream', { body: { set: 's', steps } })
    expect(stream.json(), stream.text).toMatchObject({ code: 'request_too_large' })
    await turnsUntil(async () => (await use(gateway())).usedBytes === 0)
  })
})

describe('a request that waits for room', () => {
  const gateway = useGateway({ requestBytes: 8 * MIB, requestPatienceMs: 60_000, defaultThreads: 2 })
  beforeAll(() => fill(gateway()))

  test('has all of its rows in the end, in the order of an index, too', async () => {
    const { ok } = gateway()
    const index = { name: 'by_i', kind: 'range', bin: 'i' }
    await ok('POST /api/v1/namespaces/n/indexes?wait=60s', { body: index })
    const room = hold(gateway(), 7 * MIB)
    const answer = ok<{ records: unknown[]; summary: { method: string } }>(query, {
      body: { set: 's', order: { bin: 'i' }, limit: 3000 },
    })
    await turnsUntil(async () => (await use(gateway())).waiting > 0)
    room.give()
    const { records: rows, summary } = await answer
    expect([rows.length, summary.method]).toEqual([3000, 'range-order'])
    await turnsUntil(async () => (await use(gateway())).usedBytes === 0)
  })

  test('gives its room back if its client goes away', async () => {
    const { app } = gateway()
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = new URL(address)
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => undefined)
    const path = records.slice(records.indexOf('/'))
    const head = `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-ndjson\r\nauthorization: ${bearer.authorization}\r\n`
    socket.write(`${head}content-length: 1000000\r\n\r\n{`)
    await turnsUntil(async () => (await use(gateway())).usedBytes === 2_000_000)
    socket.destroy()
    await turnsUntil(async () => (await use(gateway())).usedBytes === 0)
    expect(await use(gateway())).toMatchObject({ usedBytes: 0, refused: 0 })
  })

  test('a body of unknown length meets itself nowhere', async () => {
    const { app, ok } = gateway()
    const row = `{"key":9000,"bins":{"t":"${'x'.repeat(900_000)}"}}\n`
    const body = Readable.from(Array.from({ length: 6 }, () => Buffer.from(row)))
    const answer = await app.inject({
      method: 'POST',
      url: records.slice(records.indexOf('/')),
      headers: { ...lines, ...bearer, 'transfer-encoding': 'chunked' },
      payload: body,
    })
    expect(answer.statusCode, answer.body.slice(0, 200)).toBe(200)
    await ok(query, { body: ordered(10) })
  })
})

describe('bodies that wait', () => {
  const gateway = useGateway({ requestBytes: 8 * MIB, requestPatienceMs: 60_000 })
  beforeAll(() => gateway().memoryNamespace('n'))

  const row = (key: number, bytes: number) => `{"key":${key},"bins":{"t":"${'x'.repeat(bytes)}"}}\n`
  const waiting = async (count: number) => turnsUntil(async () => (await use(gateway())).waiting === count)

  test('have their turn one after the other: a large one is not overtaken by small ones for ever', async () => {
    const { send } = gateway()
    const room = hold(gateway(), 7 * MIB)
    const large = send(records, { body: row(1, 900_000) + row(2, 900_000), headers: lines })
    await waiting(1)
    // There would be room for it now.
    const small = send(records, { body: row(3, 200_000), headers: lines })
    await waiting(2)
    room.give()
    expect([(await large).status, (await small).status]).toEqual([200, 200])
  })

  test('of two of unknown length that wait for each other the older one is taken', async () => {
    const { app } = gateway()
    let open = () => {}
    const gate = new Promise<void>((resolve) => (open = resolve))
    /** 2 MiB, and when the gate is open another one. */
    const body = async function* () {
      for (let n = 0; n < 16; n += 1) yield Buffer.from(row(n, 131_000))
      await gate
      for (let n = 0; n < 8; n += 1) yield Buffer.from(row(n, 131_000))
    }
    const upload = async () =>
      app.inject({
        method: 'POST',
        url: records.slice(records.indexOf('/')),
        headers: { ...lines, ...bearer, 'transfer-encoding': 'chunked' },
        payload: Readable.from(body()),
      })
    const holds = (bytes: number) => turnsUntil(async () => (await use(gateway())).usedBytes === bytes)
    const older = upload()
    await holds(4 * MIB)
    const younger = upload()
    await holds(8 * MIB)
    open()
    const refused = await younger
    expect(refused.json()).toMatchObject({ status: 503, code: 'memory_busy', retryable: true })
    expect(refused.headers['retry-after']).toBe('1')
    expect((await older).statusCode).toBe(200)
    await holds(0)
  })
})

describe('requests that find no room', () => {
  const gateway = useGateway({ requestBytes: 8 * MIB, requestPatienceMs: 50, defaultThreads: 2 })
  beforeAll(() => fill(gateway()))

  test('are refused after their patience, bodies and queries alike, and small ones are served', async () => {
    const { send, ok } = gateway()
    const room = hold(gateway(), 7.9 * MIB)
    const body = `{"key":1,"bins":{"t":"${'x'.repeat(200_000)}"}}`
    for (const refused of [await send(records, { body, headers: lines }), await send(query, { body: ordered(3500) })]) {
      expect(refused.json()).toMatchObject({ status: 503, code: 'memory_busy', retryable: true })
      expect(refused.headers['retry-after']).toBe('1')
    }
    await ok(records, { body: '{"key":2,"bins":{"i":1}}', headers: lines })
    await ok(query, { body: ordered(10) })
    const { requestMemory } = await ok<Status>('GET /api/v1/status')
    expect(requestMemory).toMatchObject({ limitBytes: 8 * MIB, waiting: 0, refused: 2 })
    room.give()
    await ok(records, { body, headers: lines })
    await ok(query, { body: ordered(3500) })
    await turnsUntil(async () => (await use(gateway())).usedBytes === 0)
  })
})
