// A stream that fails before its first byte is a problem; one that fails later must not look complete.
import Fastify, { type FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.js'
import type { RecordStream } from '../../src/engines/engine.js'
import { GatewayError, sendProblem } from '../../src/errors.js'
import { unpack } from '../../src/msgpack/decode.js'
import { Gate } from '../../src/overload/gate.js'
import { Pipelines } from '../../src/overload/pipelines.js'
import { sendLines, sendObject, sendValues } from '../../src/answers/record-stream.js'

const summary = {
  returned: 3,
  scanned: 9,
  damaged: 0,
  candidates: 9,
  elapsedMs: 1,
  threads: 1,
  method: 'all',
  truncated: false,
}

/** A stream of the given chunks, then its end or a failure. */
function streamOf(chunks: string[], failure?: Error): RecordStream & { aborted: boolean } {
  const left = [...chunks]
  return {
    jobId: 'job-1',
    aborted: false,
    next: async () => {
      const chunk = left.shift()
      if (chunk === undefined && failure !== undefined) throw failure
      return chunk === undefined ? null : Buffer.from(chunk)
    },
    summary: () => summary,
    abort() {
      this.aborted = true
    },
    stalled() {
      this.aborted = true
    },
    heldBytes: () => 0,
  }
}

describe('record streams', () => {
  let app: FastifyInstance
  afterEach(() => app.close())

  function serve(stream: RecordStream): void {
    app = Fastify()
    app.decorate('gate', new Gate({ overloadDelayMs: 0, loopAlarmMs: 0 }, new Pipelines()))
    app.decorate('config', readConfig([], {}))
    app.decorate('stop', { begun: false, closes: false })
    app.setErrorHandler(sendProblem)
    app.get('/object', (_request, reply) =>
      sendObject(reply, stream, '{"records":[', () => `],"returned":${stream.summary().returned}}`),
    )
    app.get('/lines', (_request, reply) => sendLines(reply, stream))
    app.get('/values', (_request, reply) => sendValues(reply, stream))
  }

  test.each([
    [[], []],
    [['{"a":1}\n'], [{ a: 1 }]],
    [['{"a":1}\n{"a":2}\n'], [{ a: 1 }, { a: 2 }]],
    [
      ['{"a":"x\\ny"}\n', '{"a":2}\n'],
      [{ a: 'x\ny' }, { a: 2 }],
    ],
    [
      ['{"a":1}\n', '{"a":2}\n', '{"a":3}\n{"a":4}\n', '{"a":5}\n'],
      [{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }, { a: 5 }],
    ],
  ])('%j is one object', async (chunks, records) => {
    serve(streamOf(chunks))
    const answer = await app.inject('/object')
    expect(answer.headers['x-job-id']).toBe('job-1')
    expect(answer.json()).toEqual({ records, returned: 3 })
  })

  test('lines come as they are, the summary behind them', async () => {
    serve(streamOf(['{"a":1}\n', '{"a":2}\n']))
    const answer = await app.inject('/lines')
    expect(answer.body).toBe('{"a":1}\n{"a":2}\n')
    expect(JSON.parse(answer.trailers['x-summary'] ?? '')).toEqual(summary)
  })

  test('lines come as values of MessagePack, the summary behind them', async () => {
    serve(streamOf(['{"a":1}\n', '{"a":2}\n']))
    const answer = await app.inject('/values')
    expect(answer.headers['content-type']).toBe('application/msgpack-seq')
    expect(answer.rawPayload.toString('hex')).toBe('81a1610181a16102')
    expect(JSON.parse(answer.trailers['x-summary'] ?? '')).toEqual(summary)
  })

  test('a late failure is the last value', async () => {
    serve(streamOf(['{"a":1}\n'], new GatewayError('storage_failed', 'the disk is gone')))
    await app.listen({ host: '127.0.0.1', port: 0 })
    const response = await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/values`)
    const got: Uint8Array[] = []
    const all = async (): Promise<void> => {
      for await (const piece of response.body ?? []) got.push(piece as Uint8Array)
    }
    await expect(all()).rejects.toThrow('terminated')
    const values = Buffer.concat([Buffer.from([0x92]), ...got])
    expect(unpack(values)).toEqual([{ a: 1 }, { error: { code: 'storage_failed', message: 'the disk is gone' } }])
  })

  test.each(['/object', '/lines', '/values'])('%s: each piece waits for its turn', async (path) => {
    const chunks = Array.from({ length: 5 }, (_, n) => `${JSON.stringify({ n, a: 'x'.repeat(n * 100) })}\n`)
    serve(streamOf(chunks))
    const waits: number[] = []
    app.gate.giveWay = async (bytes = 0) => void waits.push(bytes)
    expect((await app.inject(path)).statusCode).toBe(200)
    // The last one ends the object.
    expect(waits).toEqual(chunks.slice(0, path === '/object' ? -1 : undefined).map(({ length }) => length))
  })

  test.each(['/object', '/lines', '/values'])('%s: an early failure is a problem', async (path) => {
    serve(streamOf([], new GatewayError('cursor_invalid', 'the cursor is of another scan')))
    expect((await app.inject(path)).json()).toMatchObject({ status: 400, code: 'cursor_invalid' })
  })

  test.each(['/object', '/lines', '/values'])('%s: a late failure breaks the connection', async (path) => {
    serve(streamOf(['{"a":1}\n', '{"a":2}\n', '{"a":3}\n'], new GatewayError('storage_failed', 'the disk is gone')))
    await app.listen({ host: '127.0.0.1', port: 0 })
    const response = await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}${path}`)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow('terminated')
  })

  test('a client that goes away aborts the work, even while it is waited for', async () => {
    const stream = streamOf([])
    const aborted = new Promise<void>((resolve) => {
      stream.abort = resolve
    })
    let asked: () => void
    const waiting = new Promise<void>((resolve) => {
      asked = resolve
    })
    stream.next = () => {
      asked()
      return new Promise(() => undefined)
    }
    serve(stream)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const stop = new AbortController()
    const port = (app.server.address() as AddressInfo).port
    const answer = fetch(`http://127.0.0.1:${port}/lines`, { signal: stop.signal }).catch(() => 'gone')
    await waiting
    stop.abort()
    expect(await answer).toBe('gone')
    await aborted
  })
})
