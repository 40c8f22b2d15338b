// A server that is told to close does so at once, whatever is under way, and loses nothing that was acknowledged.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test, vi } from 'vitest'
import type { App } from '../../src/app-types.js'
import { openNativeEngine } from '../../src/engines/native.js'
import type { MetricsFrame } from '../../src/schemas/server/metrics.js'
import { bearer, TOKEN, useGateway } from '../gateway.js'
import { turnsUntil } from '../turns.js'

/** A client that asks and never reads; the result is the gateway's end of its connection. */
async function askAndNotRead(app: App, line: string, type = 'text/plain', body = ''): Promise<Socket> {
  const accepted = once(app.server, 'connection') as Promise<[Socket]>
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  client.pause()
  client.on('error', () => undefined)
  const head = [`${line} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${TOKEN}`, `content-type: ${type}`]
  client.write(`${head.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  return (await accepted)[0]
}

/** Resolves when the connection is full: for a hundred turns of the event loop nothing has come or gone. */
async function fullUp(socket: Socket): Promise<void> {
  let before = -1
  let turns = 0
  await turnsUntil(() => {
    turns = socket.writableLength > 0 && socket.bytesWritten === before ? turns + 1 : 0
    before = socket.bytesWritten
    return turns === 100
  })
}

describe('closing', () => {
  const gateway = useGateway()

  test('aborts scans and uploads, ends live streams, and keeps what was stored', async () => {
    const { app, directory, ok } = gateway()
    await ok('POST /api/v1/namespaces', { body: { name: 'n', storage: { engine: 'device' }, segments: 4 } })
    const lines = Array.from({ length: 500 }, (_, i) => `{"key":${i},"bins":{"i":${i}}}`)
    await ok('POST /api/v1/namespaces/n/sets/s/records', {
      body: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/v1`

    const live = await fetch(`${origin}/live`, { headers: bearer })
    if (live.body === null) throw new Error('the live stream has no body')
    const frames = live.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let seen = ''; !seen.includes('event: frame');) {
      const { value, done } = await frames.read()
      if (done) throw new Error(`the live stream ended before its first frame: ${seen}`)
      seen += value
    }
    const scan = fetch(`${origin}/namespaces/n/scan`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json', accept: 'application/x-ndjson' },
      body: '{"set":"s","recordsPerSecond":1,"threads":1}',
    }).then((response) => response.text())
    const upload = fetch(`${origin}/namespaces/n/import?set=u&format=ndjson&key=id`, {
      method: 'POST',
      headers: bearer,
      body: new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{"id":"a"}\n')) }),
      duplex: 'half',
    } as RequestInit)
    const ended = Promise.allSettled([scan, upload])
    for (;;) {
      const kinds = app.engine.runningJobs().map(({ kind }) => kind)
      if (kinds.includes('scan') && kinds.includes('import')) break
      await new Promise((resolve) => setImmediate(resolve))
    }

    await app.close()
    while (!(await frames.read()).done);
    await ended
    const engine = await openNativeEngine({ dataDirectory: directory })
    await engine.settled()
    expect(engine.size('n', 's')).toBe(500)
    await engine.close()
  })
})

describe('closing while scans have answered nothing yet', () => {
  const gateway = useGateway()

  test('answers them with the code of a close', async () => {
    const { app, ok, send } = gateway()
    await gateway().memoryNamespace('n')
    const lines = Array.from({ length: 500 }, (_, i) => `{"key":${i},"bins":{"i":${i}}}`)
    const headers = { 'content-type': 'application/x-ndjson' }
    await ok('POST /api/v1/namespaces/n/sets/s/records', { body: lines.join('\n'), headers })
    const body = { set: 's', where: { bin: 'i', op: 'lt', value: 0 }, recordsPerSecond: 1, threads: 1 }
    const scans = ['application/json', 'application/x-ndjson'].map((accept) =>
      send('POST /api/v1/namespaces/n/scan', { body, headers: { accept } }),
    )
    await turnsUntil(() => app.engine.runningJobs().length === scans.length)
    await app.close()
    for (const scan of await Promise.all(scans)) {
      expect(scan.json()).toMatchObject({ status: 503, code: 'closed' })
      expect(scan.headers['retry-after']).toBe('1')
    }
  })
})

describe('closing while events are generated', () => {
  const gateway = useGateway()

  test('tells why there are no more of them', async () => {
    const { app } = gateway()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    const line = 'GET /api/v1/sample-events?format=ndjson&rows=10000000 HTTP/1.1'
    client.write(`${line}\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`)
    await once(client, 'readable')
    const closing = app.close()
    const lines = (await text(client)).trimEnd().split('\n')
    await closing
    expect(lines.some((one) => one.startsWith('{"error":{"code":"closed"'))).toBe(true)
  })
})

describe('closing while a connection is at work', () => {
  const gateway = useGateway()

  test('answers the next request on it with the code of a close', async () => {
    const { app, ok } = gateway()
    await gateway().memoryNamespace('n')
    const headers = { 'content-type': 'application/x-ndjson' }
    const lines = Array.from({ length: 500 }, (_, i) => `{"key":${i},"bins":{"i":${i}}}`)
    await ok('POST /api/v1/namespaces/n/sets/s/records', { body: lines.join('\n'), headers })
    const slow = { set: 's', where: { bin: 'i', op: 'lt', value: 0 }, recordsPerSecond: 1, threads: 1 }
    await app.listen({ host: '127.0.0.1', port: 0 })
    const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    const ask = (line: string, body = ''): void => {
      const head = [
        `${line} HTTP/1.1`,
        'host: localhost',
        `authorization: Bearer ${TOKEN}`,
        `content-length: ${body.length}`,
      ]
      client.write(`${[...head, 'content-type: application/json'].join('\r\n')}\r\n\r\n${body}`)
    }
    ask('POST /api/v1/namespaces/n/scan', JSON.stringify(slow))
    await turnsUntil(() => app.engine.runningJobs().length === 1)
    const callOff = vi.spyOn(app.engine, 'callOffJobs')
    let taken = false
    app.server.once('request', () => (taken = true))
    callOff.mockImplementationOnce(() => {
      ask('GET /api/v1/status')
    })
    const closing = app.close()
    await turnsUntil(() => taken)
    app.engine.callOffJobs()
    const answers = await text(client)
    await closing
    expect(answers.match(/"code":"closed"/g), answers).toHaveLength(2)
  })
})

describe('closing while clients do not read', () => {
  const gateway = useGateway()
  const BATCHES = 4
  const LINES = 40
  const long = 'x'.repeat(256 * 1024)

  test('drops them, and closes the engine with the relaxed writes that it holds', async () => {
    const { app, directory, ok } = gateway()
    const storage = { engine: 'device', flushIntervalMs: 60_000, writeBlockBytes: 1024 * 1024 }
    await ok('POST /api/v1/namespaces', { body: { name: 'n', storage, durability: 'relaxed', segments: 4 } })
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const lines = Array.from({ length: LINES }, (_, i) => `{"key":${batch * LINES + i},"bins":{"text":"${long}"}}`)
      const headers = { 'content-type': 'application/x-ndjson' }
      const report = await ok('POST /api/v1/namespaces/n/sets/s/records', { body: lines.join('\n'), headers })
      expect(report).toMatchObject({ written: LINES, rejectedTotal: 0 })
    }
    await app.listen({ host: '127.0.0.1', port: 0 })
    const keys = JSON.stringify(Array.from({ length: BATCHES * LINES }, (_, i) => i))
    const exporting = await askAndNotRead(app, 'GET /api/v1/namespaces/n/export?set=s')
    // A read of many keys is no job, so that there is nothing to abort.
    const reading = await askAndNotRead(app, 'POST /api/v1/namespaces/n/sets/s/read', 'application/json', keys)
    const watching = await askAndNotRead(app, 'GET /api/v1/live')
    await fullUp(exporting)
    await fullUp(reading)
    await turnsUntil(() => app.feed.size === 1 && app.live.latest !== undefined)
    const big = { ...(app.live.latest as MetricsFrame), marks: [{ time: '', kind: 'note', text: long }] }
    await turnsUntil(() => {
      app.live.publish(big)
      return watching.writableLength > 0
    })

    await app.close()
    expect([exporting, reading, watching].map(({ destroyed }) => destroyed)).toEqual([true, true, true])
    const engine = await openNativeEngine({ dataDirectory: directory })
    await engine.settled()
    expect(engine.size('n', 's')).toBe(BATCHES * LINES)
    await engine.close()
  })
})

describe('closing while an index is built', () => {
  const gateway = useGateway()
  const SPEC = { name: 'by-i', bin: 'i', kind: 'range', threads: 1 }

  /** Begins builds until one is caught before its end, and leaves it paused there. */
  async function halfBuilt({ app, ok }: ReturnType<typeof gateway>): Promise<void> {
    for (;;) {
      const { id } = await ok<{ id: string }>('POST /api/v1/namespaces/n/indexes', { body: SPEC })
      try {
        app.engine.patchJob(id, { paused: true })
        if ((await app.engine.index('n', 'by-i')).state === 'building') return
      } catch (error) {
        // It has ended meanwhile.
        if ((error as { code?: string }).code !== 'job_finished') throw error
      }
      await ok('DELETE /api/v1/namespaces/n/indexes/by-i')
    }
  }

  test('keeps it for the start to build', async () => {
    const { app, directory, ok } = gateway()
    await ok('POST /api/v1/namespaces', { body: { name: 'n', storage: { engine: 'device' }, segments: 4096 } })
    const lines = Array.from({ length: 500 }, (_, i) => `{"key":${i},"bins":{"i":${i}}}`)
    const headers = { 'content-type': 'application/x-ndjson' }
    await ok('POST /api/v1/namespaces/n/sets/s/records', { body: lines.join('\n'), headers })
    await halfBuilt(gateway())
    await app.close()
    const engine = await openNativeEngine({ dataDirectory: directory })
    await engine.settled()
    const { jobId } = await engine.index('n', 'by-i')
    if (jobId !== undefined) await engine.waitJob(jobId, 60_000)
    expect(await engine.index('n', 'by-i')).toMatchObject({ state: 'ready', entries: 500 })
    await engine.close()
  })
})
