// Streams that nobody reads: no more of them than there is room for, and none for ever.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Problem } from '../../src/schemas/problem.js'
import type { Status } from '../../src/schemas/server/status.js'
import { type Gateway, TOKEN, useGateway } from '../gateway.js'
import { turnsUntil } from '../turns.js'

const CHUNK_BYTES = 256 * 1024
const THREADS = 2
/** More than connections hold, each. */
const RECORDS = 120
const EXPORT = `/api/v1/namespaces/n/export?set=s&threads=${THREADS}`

async function fill(gateway: Gateway): Promise<void> {
  const { app, ok } = gateway
  await gateway.memoryNamespace('n')
  const text = 'x'.repeat(CHUNK_BYTES)
  for (let first = 0; first < RECORDS; first += 40) {
    const lines = Array.from({ length: 40 }, (_, i) => `{"key":${first + i},"bins":{"text":"${text}"}}`)
    await ok('POST /api/v1/namespaces/n/sets/s/records', {
      body: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
  }
  await app.listen({ host: '127.0.0.1', port: 0 })
}

/** A client that asks for an export and reads nothing; the result is the gateway's end of its connection. */
async function deafReader({ app }: Gateway): Promise<{ client: Socket; socket: Socket }> {
  const accepted = once(app.server, 'connection') as Promise<[Socket]>
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  client.pause()
  client.on('error', () => undefined)
  client.write(`GET ${EXPORT} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`)
  return { client, socket: (await accepted)[0] }
}

const runningExports = ({ app }: Gateway) => app.engine.runningJobs().filter(({ kind }) => kind === 'export')

describe('the budget of streams', () => {
  const gateway = useGateway({ streamsMax: 3, readerPatienceMs: 0 })
  beforeAll(() => fill(gateway()))

  test('one more than there is room for is refused, and a parked one holds little', async () => {
    const { app, send, ok } = gateway()
    const readers = await Promise.all([1, 2, 3].map(() => deafReader(gateway())))
    // All of them are parked: their workers wait to send, and their connections are full.
    await turnsUntil(
      () =>
        readers.every(({ socket }) => socket.writableLength > 0) &&
        runningExports(gateway()).every(({ id }) => {
          const { lanes = [] } = app.engine.job(id)
          return lanes.length === THREADS && lanes.every(({ state }) => state === 'sending')
        }),
    )
    expect(runningExports(gateway()).length).toBe(3)
    for (const line of [
      `GET ${EXPORT}`,
      'GET /v1/scan/n/s',
      'POST /api/v1/namespaces/n/query',
      'POST /api/v1/namespaces/n/scan',
    ]) {
      const answer = await send(line, line.startsWith('POST') ? { body: { set: 's' } } : {})
      expect([line, answer.status, answer.headers['retry-after']]).toEqual([line, 503, '1'])
    }
    expect((await send(`GET ${EXPORT}`)).json<Problem>()).toMatchObject({ code: 'too_many_streams', retryable: true })
    const { gateway: use } = await ok<Status>('GET /api/v1/status')
    expect(use.streams).toMatchObject({ open: 3, refused: 5, stalled: 0 })
    // In the engine two chunks of each and one of each worker, here the one that is being sent; a line is longer than a chunk.
    expect(use.streams.heldBytes).toBeGreaterThan(3 * CHUNK_BYTES)
    expect(use.streams.heldBytes).toBeLessThan(3 * (2 + THREADS + 2) * 2 * CHUNK_BYTES)
    for (const { client } of readers) client.destroy()
    await turnsUntil(() => runningExports(gateway()).length === 0 && app.streams.figures().open === 0)
    expect(app.streams.figures()).toMatchObject({ open: 0, heldBytes: 0 })
    expect((await send('POST /api/v1/namespaces/n/scan', { body: { set: 's', limit: 1 } })).status).toBe(200)
    expect(app.streams.figures()).toMatchObject({ open: 0, heldBytes: 0 })
  })

  test('a stream that cannot start, or a client that has gone, leaves nothing behind', async () => {
    const { app, send } = gateway()
    expect((await send('GET /api/v1/namespaces/none/export')).status).toBe(404)
    const { client } = await deafReader(gateway())
    client.destroy()
    await turnsUntil(() => runningExports(gateway()).length === 0 && app.streams.figures().open === 0)
  })
})

describe('the bytes of streams', () => {
  const gateway = useGateway({ streamBytesMax: 2 * 1024 * 1024, readerPatienceMs: 0 })
  beforeAll(() => fill(gateway()))

  test('are bounded, whatever the number of streams', async () => {
    const { app, send } = gateway()
    const { client } = await deafReader(gateway())
    await turnsUntil(() => app.streams.figures().heldBytes > 1024 * 1024)
    const answer = await send(`GET ${EXPORT}`)
    expect(answer.json<Problem>()).toMatchObject({ status: 503, code: 'too_many_streams' })
    client.destroy()
    await turnsUntil(() => app.streams.figures().open === 0)
  })
})

describe('readers that read nothing', () => {
  const gateway = useGateway({ readerPatienceMs: 100 })
  beforeAll(() => fill(gateway()))

  test('are ended, and the job says why', async () => {
    const { app } = gateway()
    const { client, socket } = await deafReader(gateway())
    await turnsUntil(() => runningExports(gateway()).length === 1)
    const id = runningExports(gateway())[0]?.id ?? ''
    await turnsUntil(() => app.engine.job(id).endedAt !== undefined)
    expect(app.engine.job(id)).toMatchObject({
      state: 'failed',
      error: { code: 'reader_stalled', message: 'the reader has read nothing for 100 ms' },
    })
    await turnsUntil(() => socket.destroyed && app.streams.figures().open === 0)
    expect(app.streams.figures()).toMatchObject({ open: 0, heldBytes: 0, stalled: 1 })
    client.destroy()
  })

  test('one that waits for the engine is no such reader', async () => {
    const { app } = gateway()
    const port = (app.server.address() as AddressInfo).port
    const client = connect(port, '127.0.0.1')
    const body = JSON.stringify({ set: 's', recordsPerSecond: 1, threads: 1 })
    const head = `POST /api/v1/namespaces/n/scan HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n`
    client.write(
      `${head}accept: application/x-ndjson\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    client.resume()
    const accepted = (await once(app.server, 'connection')) as [Socket]
    const before = app.streams.figures().stalled
    // The connection's own clock runs out while nothing is unread.
    await once(accepted[0], 'timeout')
    expect(accepted[0].destroyed).toBe(false)
    expect(app.streams.figures()).toMatchObject({ open: 1, stalled: before })
    client.destroy()
    await turnsUntil(() => app.streams.figures().open === 0)
  })
})
