// Streams of records over HTTP: a client that reads slowly holds its scan up and costs constant memory, and one that goes away ends it.
import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { RecordStream } from '../../src/engines/engine.js'
import { unpack } from '../../src/msgpack/decode.js'
import type { Job } from '../../src/schemas/jobs/jobs.js'
import { bearer, useGateway } from '../gateway.js'

/** Together far more than the kernel keeps for a connection. */
const [RECORDS, VALUE_BYTES] = [8000, 8192]
/** In each record once. */
const END = '#'
const LONGEST_MS = 25_000
/** A few chunks: what may wait between the core and the kernel. */
const UNSENT_MAX = 1024 * 1024

interface Asked {
  line: string
  accept: string
  body?: object
}

const lines = 'application/x-ndjson'
const streams: Record<string, Asked> = {
  scan: { line: 'POST /api/v1/namespaces/big/scan', accept: lines, body: { threads: 2 } },
  'scan as values': { line: 'POST /api/v1/namespaces/big/scan', accept: 'application/msgpack-seq', body: {} },
  'scan with a limit': { line: 'POST /api/v1/namespaces/big/scan', accept: lines, body: { limit: RECORDS } },
  'scan as one object': {
    line: 'POST /api/v1/namespaces/big/scan',
    accept: 'application/json',
    body: { limit: RECORDS },
  },
  query: { line: 'POST /api/v1/namespaces/big/query', accept: lines, body: {} },
  'query as CSV': { line: 'POST /api/v1/namespaces/big/query', accept: 'text/csv', body: {} },
  'query as one object': {
    line: 'POST /api/v1/namespaces/big/query',
    accept: 'application/json',
    body: { limit: RECORDS },
  },
  export: { line: 'GET /api/v1/namespaces/big/export', accept: lines },
  'export as CSV': { line: 'GET /api/v1/namespaces/big/export?format=csv', accept: 'text/csv' },
  'compatible scan': { line: 'GET /v1/scan/big', accept: 'application/json' },
  'compatible query': { line: 'POST /v1/query/big?maxRecords=0', accept: 'application/json', body: {} },
}

const gateway = useGateway({ bodyLimitBytes: 16 * 1024 * 1024 })

beforeAll(async () => {
  await gateway().app.listen({ host: '127.0.0.1', port: 0 })
  await gateway().memoryNamespace('big')
  const value = `${'x'.repeat(VALUE_BYTES)}${END}`
  for (let first = 0; first < RECORDS; first += 1000) {
    const rows = Array.from({ length: 1000 }, (_, n) => JSON.stringify({ key: `k${first + n}`, bins: { value } }))
    await gateway().ok('POST /api/v1/namespaces/big/sets/s/records', {
      body: `${rows.join('\n')}\n`,
      headers: { 'content-type': lines },
    })
  }
})

const port = () => (gateway().app.server.address() as AddressInfo).port

/** Sends a request; what the gateway answers is left unread. */
function ask({ line, accept, body }: Asked) {
  const [method, path] = line.split(' ')
  const options = { host: '127.0.0.1', port: port(), method, path }
  const headers = { ...bearer, accept, ...(body !== undefined && { 'content-type': 'application/json' }) }
  const answering = once(gateway().app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  const asked = request({ ...options, headers })
  asked.on('error', () => undefined) // its own end
  asked.end(body === undefined ? undefined : JSON.stringify(body))
  return { asked, answering }
}

/** The scan of a request that is under way. */
function jobUnderWay(): string | undefined {
  return gateway()
    .app.engine.runningJobs()
    .find((job) => job.state === 'running')?.id
}

const jobIds = async (): Promise<string[]> => (await gateway().app.engine.jobs()).items.map(({ id }) => id)

/** Work that is paused before its client can go away; begun anew where it was done before it could be. */
async function paused(begin: () => Promise<RecordStream>): Promise<RecordStream> {
  for (;;) {
    const stream = await begin()
    try {
      gateway().app.engine.patchJob(stream.jobId, { paused: true })
      return stream
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'job_finished')) throw error
    }
  }
}

const ended = (id: string): Promise<Job> => gateway().app.engine.waitJob(id, LONGEST_MS)

describe.each(Object.entries(streams))('%s', (_, asked) => {
  test('a client that reads slowly holds it up, costs constant memory, and gets everything', async () => {
    const { asked: client, answering } = ask(asked)
    const [, answer] = await answering
    let [written, unsentMost] = [0, 0]
    const write = answer.write.bind(answer) as (...args: unknown[]) => boolean
    answer.write = (...args: unknown[]) => {
      const more = write(...args)
      written += (args[0] as Buffer).length
      unsentMost = Math.max(unsentMost, answer.writableLength)
      return more
    }
    const [response] = (await once(client, 'response')) as [IncomingMessage]
    await expect.poll(() => answer.writableNeedDrain, { timeout: LONGEST_MS }).toBe(true)
    const id = response.headers['x-job-id'] as string
    const job = gateway().app.engine.job(id)
    expect(job.state).toBe('running')
    expect(job.done).toBeLessThan(RECORDS / 2)
    expect(written).toBeLessThan((RECORDS * VALUE_BYTES) / 2)

    let [bytes, records] = [0, 0]
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      for (let at = chunk.indexOf(END); at !== -1; at = chunk.indexOf(END, at + 1)) records += 1
    }
    expect(bytes).toBe(written)
    expect((await ended(id)).state).toBe('done')
    expect(records).toBe(RECORDS)
    expect(unsentMost).toBeLessThan(UNSENT_MAX)
  })

  test('a client that goes away in the middle ends it', async () => {
    const { asked: client } = ask(asked)
    const [response] = (await once(client, 'response')) as [IncomingMessage]
    const id = response.headers['x-job-id'] as string
    expect(gateway().app.engine.job(id).state).toBe('running')
    response.destroy()
    expect((await ended(id)).state).toBe('aborted')
  })
})

describe.each(['application/json', 'application/msgpack'])('a compatible scan before its first byte, %s', (accept) => {
  test('a client that goes away ends it', async () => {
    const { asked, answering } = ask({ line: 'GET /v1/scan/big?recordsPerSecond=1', accept })
    await answering
    await expect.poll(jobUnderWay, { timeout: LONGEST_MS }).toBeDefined()
    const id = jobUnderWay() ?? ''
    asked.destroy()
    expect((await ended(id)).state).toBe('aborted')
  })
})

describe('an analysis', () => {
  const body = { threads: 1, explain: 'analyze' }
  const line = 'POST /api/v1/namespaces/big/query'

  test('ends when the client that waits for it goes away', async () => {
    const { engine } = gateway().app
    const analyze = engine.analyzeQuery
    const begun = new Promise<string>((resolve) => {
      vi.spyOn(engine, 'analyzeQuery').mockImplementation(async (...asked) => {
        const stream = await paused(() => analyze(...asked))
        resolve(stream.jobId)
        return stream
      })
    })
    onTestFinished(() => void vi.restoreAllMocks())
    const { asked } = ask({ line, accept: lines, body })
    const id = await begun
    asked.destroy()
    expect((await ended(id)).state).toBe('aborted')
  })

  test('of the whole result is one plan', async () => {
    const plan = await gateway().ok<{ actual: object }>(line, { body, headers: { accept: lines } })
    expect(plan.actual).toMatchObject({ returned: RECORDS })
  })
})

describe('MessagePack, which is gathered before it is sent', () => {
  const accept = 'application/msgpack'

  test('an answer past the limit is refused, and its scan ended', async () => {
    const before = new Set(await jobIds())
    for (const line of ['GET /v1/scan/big', 'POST /v1/query/big?maxRecords=0']) {
      const body = line.startsWith('POST') ? { body: {} } : {}
      const { status } = await gateway().send(line, { headers: { accept }, ...body })
      expect(status, line).toBe(400)
    }
    const states = (await jobIds()).filter((id) => !before.has(id)).map(async (id) => (await ended(id)).state)
    expect(await Promise.all(states)).toEqual(['aborted', 'aborted'])
  })

  test('one below it comes whole', async () => {
    const { asked } = ask({ line: 'GET /v1/scan/big?maxRecords=1000', accept })
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
    const { records, pagination } = unpack(Buffer.concat(chunks)) as { records: unknown[]; pagination: object }
    expect(records.length).toBe(1000)
    expect(pagination).toMatchObject({ totalRecords: 1000 })
  })
})
