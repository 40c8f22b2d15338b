// Compressed answers: the same bytes for whoever asks, and nothing compressed that should not be.
import Fastify from 'fastify'
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { brotliDecompressSync, createGunzip, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/app-types.js'
import { compressAnswers } from '../../src/hooks/compress.js'
import { bearer, useGateway } from '../gateway.js'

const RECORDS = 400
const decoders = { br: brotliDecompressSync, gzip: gunzipSync }

describe('compressed answers', () => {
  const gateway = useGateway()
  const ask = (url: string, headers: Record<string, string> = {}, more: object = {}) =>
    gateway().app.inject({ method: 'GET', url, headers: { ...bearer, ...headers }, ...more })

  beforeAll(async () => {
    await gateway().memoryNamespace('shop')
    for (let key = 0; key < RECORDS; key += 1) {
      await gateway().put(`shop/sets/events/records/${key}`, { user: `user-${key}`, note: 'the same words each time' })
    }
  })

  test.each([
    ['JSON', '/api/v1/namespaces/shop/sets/events/records?limit=400'],
    ['NDJSON', '/api/v1/namespaces/shop/export?set=events'],
    ['CSV', '/api/v1/namespaces/shop/export?set=events&format=csv&columns=user,note'],
    ['the document', '/api/v1/openapi.json'],
    ['metrics', '/metrics'],
  ])('%s is the same, and smaller', async (_what, url) => {
    const plain = await ask(url)
    expect(plain.headers['content-encoding']).toBeUndefined()
    for (const [encoding, decode] of Object.entries(decoders)) {
      const answer = await ask(url, { 'accept-encoding': encoding })
      expect(answer.headers).toMatchObject({
        'content-encoding': encoding,
        vary: expect.stringContaining('accept-encoding'),
      })
      expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
      // Its figures change with each request.
      expect(url === '/metrics' || decode(answer.rawPayload).equals(plain.rawPayload)).toBe(true)
    }
  })

  test('the best that a client takes is chosen', async () => {
    const url = '/api/v1/openapi.json'
    const chosen = async (accepts: string) =>
      (await ask(url, { 'accept-encoding': accepts })).headers['content-encoding']
    expect(await Promise.all(['gzip, deflate, br', 'gzip;q=1.0, br;q=0', 'GZIP', '*'].map(chosen))).toEqual([
      'br',
      'gzip',
      'gzip',
      'gzip',
    ])
    expect(await Promise.all(['identity', 'compress', 'deflate', '', 'gzip;q=0', ';;,q='].map(chosen))).toEqual(
      Array.from({ length: 6 }, () => undefined),
    )
  })

  test('a small answer and an error go as they are, and stored bytes come back the same', async () => {
    const part = randomBytes(64)
    const payload = Buffer.concat(Array.from({ length: 100 }, () => part))
    await gateway().app.inject({
      method: 'PUT',
      url: '/ycsb/shop/usertable/1',
      headers: { ...bearer, 'content-type': 'application/octet-stream' },
      payload,
    })
    const headers = { 'accept-encoding': 'gzip' }
    const answers = await Promise.all([
      ask('/api/v1/namespaces/shop/sets/events/records/1', headers),
      ask('/api/v1/namespaces/none', headers),
      ask('/ycsb/shop/usertable/1', headers),
    ])
    expect(answers.map((answer) => [answer.statusCode, answer.headers['content-encoding']])).toEqual([
      [200, undefined],
      [404, undefined],
      [200, 'gzip'],
    ])
    expect(gunzipSync(answers[2]?.rawPayload ?? '').equals(payload)).toBe(true)
  })

  test('MessagePack goes as it is', async () => {
    const accept = 'application/msgpack'
    const url = '/v1/scan/shop/events'
    const answer = await ask(url, { accept, 'accept-encoding': 'gzip' })
    expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([200, undefined])
  })

  test('an answer that is repeated is the same, compressed or not', async () => {
    // Each line is refused, and told.
    const payload = Array.from({ length: RECORDS }, (_, key) => `{"key":${key},"bins":{"":1}}\n`).join('')
    const send = (encoding: string) =>
      gateway().app.inject({
        method: 'POST',
        url: '/api/v1/namespaces/shop/sets/events/records',
        headers: {
          ...bearer,
          'accept-encoding': encoding,
          'idempotency-key': 'k1',
          'content-type': 'application/x-ndjson',
        },
        payload,
      })
    const first = await send('gzip')
    const [again, plain] = [await send('gzip'), await send('identity')]
    expect([again, plain].map(({ headers }) => headers['idempotency-replayed'])).toEqual(['true', 'true'])
    const text = gunzipSync(first.rawPayload).toString()
    expect([gunzipSync(again.rawPayload).toString(), plain.body]).toEqual([text, text])
  })

  test('HEAD has no body', async () => {
    const answer = await ask('/api/v1/openapi.json', { 'accept-encoding': 'gzip' }, { method: 'HEAD' })
    expect([answer.statusCode, answer.rawPayload.length]).toEqual([200, 0])
  })

  test('each piece of a stream can be read when it comes, and live events are not compressed', async () => {
    const { app } = gateway()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const read = (path: string, body?: object) =>
      new Promise<{ encoding: string | undefined; first: string; ended: boolean }>((resolve, reject) => {
        const headers = {
          ...bearer,
          'accept-encoding': 'gzip',
          ...(body && { accept: 'application/x-ndjson', 'content-type': 'application/json' }),
        }
        const method = body === undefined ? 'GET' : 'POST'
        const asked = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
          const encoding = answer.headers['content-encoding']
          const decoded = encoding === 'gzip' ? answer.pipe(createGunzip()) : answer
          decoded.on('error', () => undefined)
          decoded.once('data', (part: Buffer) => {
            resolve({ encoding, first: part.toString(), ended: answer.complete })
            asked.destroy()
          })
        })
        asked.once('error', reject)
        asked.end(body && JSON.stringify(body))
      })
    const live = await read('/api/v1/live')
    expect(live).toMatchObject({ encoding: undefined, first: expect.stringMatching(/^(event|id|data|retry|:)/) })
    const slow = await read('/api/v1/namespaces/shop/scan', { set: 'events', recordsPerSecond: 100, threads: 1 })
    expect(slow).toMatchObject({ encoding: 'gzip', first: expect.stringMatching(/^\{"/), ended: false })
  })
})

describe('many answers at once', () => {
  test('are sent plainly if there is a compressor for each of the others', async () => {
    const app = Fastify() as unknown as App
    await compressAnswers(app, 2)
    const slow = new Set<PassThrough>()
    app.get('/slow', (_request, reply) => {
      const body = new PassThrough()
      slow.add(body)
      body.write('x'.repeat(50_000))
      return reply.type('text/plain').send(body)
    })
    app.get('/large', (_request, reply) => reply.type('text/plain').send('x'.repeat(50_000)))
    app.get('/middle', (_request, reply) => reply.type('text/plain').send('x'.repeat(10_000)))
    const headers = { 'accept-encoding': 'gzip' }
    const ask = async (url: string) => {
      const answer = await app.inject({ url, headers })
      return answer.headers['content-encoding']
    }
    const open = [ask('/slow'), ask('/slow')]
    await expect.poll(() => slow.size).toBe(2)
    // One that needs no compressor of its own is compressed all the same.
    expect([await ask('/large'), await ask('/middle')]).toEqual([undefined, 'gzip'])
    for (const body of slow) body.end()
    expect(await Promise.all(open)).toEqual(['gzip', 'gzip'])
    expect([await ask('/large'), await ask('/large'), await ask('/large')]).toEqual(['gzip', 'gzip', 'gzip'])
    await app.close()
  })
})
