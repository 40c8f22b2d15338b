// Sample events: the same file for the same query, streamed at the pace of whoever reads.
import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { bearer, useGateway } from '../gateway.js'

const LONGEST_MS = 25_000
/** A few chunks: what may wait between the generator and the kernel. */
const UNSENT_MAX = 1024 * 1024
const path = '/api/v1/sample-events'

describe('sample events', () => {
  const gateway = useGateway()
  const get = async (query: string) => (await gateway().send(`GET ${path}?${query}`)).text

  beforeAll(() => gateway().app.listen({ host: '127.0.0.1', port: 0 }))

  test('fewer rows are the beginning of more, and a file can be made in parts', async () => {
    const whole = await get('rows=500&seed=7')
    const header = whole.slice(0, whole.indexOf('\n') + 1)
    expect(header).toMatch(/^event_id,event_type,.*,created_at\n$/)
    const [begin, rest] = [await get('rows=200&seed=7'), await get('rows=300&first=200&seed=7')]
    expect(begin + rest.slice(header.length)).toBe(whole)
    expect(await get('rows=500&seed=8')).not.toBe(whole)
    expect(await get('rows=0')).toBe(header)
  })

  test('as lines of JSON, with a thousand rows unless more are wanted', async () => {
    const answer = await gateway().send(`GET ${path}?format=ndjson`)
    expect(answer.headers['content-type']).toBe('application/x-ndjson')
    expect(answer.headers['content-disposition']).toBe('attachment; filename="events.ndjson"')
    const rows = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; payload: object })
    expect(rows).toHaveLength(1000)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(1000)
    expect((await gateway().send(`GET ${path}?format=ndjson&rows=0`)).text).toBe('')
  })

  test('can be loaded as they are', async () => {
    await gateway().memoryNamespace('n')
    const csv = await get('rows=300')
    const report = await gateway().ok('POST /api/v1/namespaces/n/import?set=events&key=event_id', {
      body: csv,
      headers: { 'content-type': 'text/csv' },
    })
    expect(report).toMatchObject({ rows: 300, inserted: 300, rejectedTotal: 0 })
  })

  /** Asks for far more than the kernel keeps; what the gateway answers is left unread. */
  async function ask(rows: number) {
    const { port } = gateway().app.server.address() as AddressInfo
    const answering = once(gateway().app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
    const client = request({ host: '127.0.0.1', port, path: `${path}?rows=${rows}`, headers: bearer })
    client.on('error', () => undefined) // its own end
    client.end()
    const [, answer] = await answering
    const [response] = (await once(client, 'response')) as [IncomingMessage]
    return { answer, response }
  }

  test('a client that reads slowly holds the generator up, and gets everything', async () => {
    const rows = 50_000
    const { answer, response } = await ask(rows)
    let unsentMost = 0
    const write = answer.write.bind(answer) as (...args: unknown[]) => boolean
    answer.write = (...args: unknown[]) => {
      const more = write(...args)
      unsentMost = Math.max(unsentMost, answer.writableLength)
      return more
    }
    await expect.poll(() => answer.writableNeedDrain, { timeout: LONGEST_MS }).toBe(true)
    expect(answer.writableFinished).toBe(false)
    let lines = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) lines += 1
    }
    expect(lines).toBe(rows + 1)
    expect(JSON.parse(response.trailers['x-summary'] as string)).toMatchObject({ returned: rows })
    expect(unsentMost).toBeLessThan(UNSENT_MAX)
  })

  test('a client that goes away ends it', async () => {
    const { engine } = gateway().app
    const generate = engine.sampleEvents
    const abort = vi.fn<() => void>()
    vi.spyOn(engine, 'sampleEvents').mockImplementation((spec) => {
      const stream = generate(spec)
      abort.mockImplementation(() => stream.abort())
      return { ...stream, abort }
    })
    onTestFinished(() => void vi.restoreAllMocks())
    const { answer, response } = await ask(10_000_000)
    response.destroy()
    // Its end and the end of its socket may both be heard: an abort more changes nothing.
    await expect.poll(() => abort.mock.calls.length, { timeout: LONGEST_MS }).toBeGreaterThan(0)
    expect(answer.writableFinished).toBe(false)
  })

  test('after an abort there is nothing more', async () => {
    const stream = gateway().app.engine.sampleEvents({ rows: 10_000_000, first: 0, seed: 1, format: 'csv' })
    expect((await stream.next())?.length).toBeGreaterThan(200_000)
    stream.abort()
    // A chunk that was under way may still come.
    await expect.poll(() => stream.next(), { timeout: LONGEST_MS }).toBeNull()
  })
})
