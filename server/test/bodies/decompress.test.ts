// Batches that come compressed: they are the same as plain ones, and a bomb costs no more than its bounds.
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { TOKEN, useGateway } from '../gateway.js'
import { turnsUntil } from '../turns.js'

const MIB = 1024 * 1024
const LIMIT = 4 * MIB
const WRITE = 'POST /api/v1/namespaces/n/sets/s/records'
const lines = (count: number, pad = 0) =>
  Array.from({ length: count }, (_, key) => `{"key":${key},"bins":{"n":${key},"pad":"${'x'.repeat(pad)}"}}\n`).join('')
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const packers = { gzip: gzipSync, br: (body: string | Buffer) => brotliCompressSync(body, QUICK) }
const headers = (encoding: string) => ({ 'content-type': 'application/x-ndjson', 'content-encoding': encoding })

describe.each(Object.entries(packers))('a batch with %s', (encoding, pack) => {
  const gateway = useGateway({ bodyLimitBytes: LIMIT, bodyTimeoutMs: 2000, requestBytes: 256 * MIB })
  const used = async () => (await gateway().app.engine.status()).requestMemory.usedBytes
  beforeAll(() => gateway().memoryNamespace('n'))

  test('is written and read as a plain one', async () => {
    const { send } = gateway()
    const written = await send(WRITE, { body: pack(lines(2000)), headers: headers(encoding) })
    expect(written.json()).toMatchObject({ written: 2000, rejectedTotal: 0 })
    const keys = pack('1999\n2000\n')
    const read = await send('POST /api/v1/namespaces/n/sets/s/read', {
      body: keys,
      headers: headers(encoding.toUpperCase()),
    })
    expect(read.text.trim().split('\n')).toEqual([
      expect.stringContaining('"n":1999'),
      expect.stringContaining('"missing":true'),
    ])
  })

  test('takes room for what comes out of it, and gives it back', async () => {
    const answer = gateway().send(WRITE, { body: pack(lines(1000, 3000)), headers: headers(encoding) })
    await turnsUntil(async () => (await used()) > 0)
    expect((await answer).status).toBe(200)
    await turnsUntil(async () => (await used()) === 0)
    expect(await used()).toBe(0)
  })

  test('that is a bomb is refused at the limit, whatever it would become', async () => {
    const bomb = pack(Buffer.alloc(128 * MIB, 0x20))
    expect(bomb.length).toBeLessThan(MIB)
    const before = process.memoryUsage.rss()
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => gateway().send(WRITE, { body: bomb, headers: headers(encoding) })),
    )
    expect(answers.map((answer) => answer.json())).toEqual(
      answers.map(() => expect.objectContaining({ code: 'body_too_large', status: 413 })),
    )
    // Whole, they would be half a gigabyte.
    expect(process.memoryUsage.rss() - before).toBeLessThan(192 * MIB)
    await turnsUntil(async () => (await used()) === 0)
    expect((await gateway().send('GET /healthz', { anonymous: true })).status).toBe(200)
  })

  test('whose client goes away, or stops in the middle, stores nothing and keeps no room', async () => {
    const { app, send } = gateway()
    if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
    const body = pack(lines(5000).replaceAll('"key":', '"key":9'))
    const dial = () => {
      const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(
        `POST /api/v1/namespaces/n/sets/cut/records HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${TOKEN}\r\n` +
          `content-type: application/x-ndjson\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`,
      )
      socket.write(body.subarray(0, body.length / 2))
      return socket
    }
    const gone = dial()
    await turnsUntil(async () => (await used()) > 0)
    gone.destroy()
    const slow = dial()
    let text = ''
    slow.on('data', (bytes) => (text += bytes.toString('latin1')))
    await once(slow, 'close')
    expect(text).toContain('"code":"body_timeout"')
    await turnsUntil(async () => (await used()) === 0)
    expect((await send('GET /api/v1/namespaces/n/size?set=cut')).json()).toMatchObject({ records: 0 })
  })
})
