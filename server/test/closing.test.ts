// A server that is told to close does so at once, whatever is under way, and loses nothing that was acknowledged.
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { openNativeEngine } from '../src/engines/native.js'
import { bearer, useGateway } from './gateway.js'

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
      const kinds = app.engine.jobs().map(({ kind }) => kind)
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
