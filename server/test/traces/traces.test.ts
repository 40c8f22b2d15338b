// Traces that a collector receives, from requests to the whole gateway.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../src/app.js'
import { Access } from '../../src/auth/access.js'
import { readConfig } from '../../src/config.js'
import { openNativeEngine } from '../../src/engines/native.js'
import { Gateway, TOKEN } from '../gateway.js'
import { Collector, type Received } from './collector.js'

const collector = new Collector()
const lines: string[] = []
let gateway: Gateway

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-'))
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: await collector.open(),
    TESSERA_TRACES_SAMPLE: '0',
    TESSERA_LOG_REQUESTS: 'true',
  }
  const config = readConfig(['--data', directory], variables)
  const engine = await openNativeEngine(config)
  const log = { write: (line: string) => void lines.push(line) }
  const consoleFiles = join(directory, 'no-console')
  const app = await buildApp({ config, engine, access: new Access(TOKEN), consoleFiles, log })
  gateway = new Gateway(app, directory)
  await app.ready()
  await gateway.memoryNamespace('shop')
  await gateway.put('shop/sets/users/records/secret-key', { n: 'secret-value' })
})

afterAll(async () => {
  await gateway.app.close()
  collector.close()
  await rm(gateway.directory, { recursive: true })
})

let traces = 0

/** The header of a caller that wants a trace. */
function caller(sampled = true): { id: string; headers: Record<string, string> } {
  traces += 1
  const id = traces.toString(16).padStart(32, '0')
  return { id, headers: { traceparent: `00-${id}-00000000000000aa-0${sampled ? 1 : 0}` } }
}

/** The spans of a trace, once there are as many. */
async function spansOf(id: string, count: number): Promise<Received[]> {
  const found = (): Received[] => collector.spans.filter(({ traceId }) => traceId === id)
  await expect.poll(() => found().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(count)
  return found()
}

const RECORD = '/api/v1/namespaces/shop/sets/users/records/secret-key'

test('a request has a span below that of its caller, and one for the call of the engine', async () => {
  const { id, headers } = caller()
  const answer = await gateway.send(`GET ${RECORD}`, { headers })
  const spans = await spansOf(id, 2)
  const server = spans.find(({ kind }) => kind === 2)
  expect(server).toMatchObject({
    name: 'GET /api/v1/namespaces/:ns/sets/:set/records/:key',
    parentSpanId: '00000000000000aa',
    attributes: {
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'http.route': '/api/v1/namespaces/:ns/sets/:set/records/:key',
      'tessera.operation': 'getRecord',
      'tessera.request.id': answer.headers['x-request-id'],
      'db.namespace': 'shop',
      'db.collection.name': 'users',
    },
  })
  const engine = spans.find(({ kind }) => kind !== 2)
  expect(engine).toMatchObject({
    name: 'engine.getRecord',
    parentSpanId: server?.spanId,
    attributes: { 'db.operation.name': 'getRecord', 'db.namespace': 'shop', 'tessera.engine.waited': false },
  })
  expect(BigInt(engine?.startTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(server?.startTimeUnixNano ?? 0))
  expect(answer.headers['server-timing']).toContain(`traceparent;desc="00-${id}-${server?.spanId}-01"`)
  expect(lines.map((line) => JSON.parse(line) as { traceId?: string }).some(({ traceId }) => traceId === id)).toBe(true)
})

test('the collector gets JSON at the path of OTLP, and learns who sends it', () => {
  expect(collector.requests[0]).toEqual({ path: '/v1/traces', type: 'application/json' })
  expect(collector.resource).toMatchObject({ 'service.name': 'tessera', 'service.version': expect.any(String) })
})

test('no span has a key or a value', async () => {
  const { id, headers } = caller()
  const where = { bin: 'n', op: 'eq', value: 'secret-value' }
  await gateway.ok('POST /api/v1/namespaces/shop/query', { body: { set: 'users', where, limit: 1 }, headers })
  await spansOf(id, 2)
  expect(JSON.stringify(collector.spans)).not.toContain('secret')
})

test('a record that is not there is an answer, and no error of the server', async () => {
  const { id, headers } = caller()
  await gateway.send('GET /api/v1/namespaces/shop/sets/users/records/none', { headers })
  const spans = await spansOf(id, 2)
  const server = spans.find(({ kind }) => kind === 2)
  expect(server?.attributes).toMatchObject({ 'http.response.status_code': 404, 'error.type': 'record_not_found' })
  expect(spans.map(({ status }) => status.code ?? 0)).toEqual([0, 0])
})

test('a job that a request starts has a span below it, from its start to its end', async () => {
  const { id, headers } = caller()
  const body = { kind: 'count', namespace: 'shop', set: 'users', threads: 1 }
  const job = await gateway.ok<{ id: string }>('POST /api/v1/jobs', { body, headers })
  await expect
    .poll(() => collector.spans.find(({ traceId, name }) => traceId === id && name === 'job count'), {
      timeout: 20_000,
    })
    .toMatchObject({
      attributes: { 'tessera.job.id': job.id, 'tessera.job.state': 'done', 'db.namespace': 'shop' },
    })
  const server = collector.spans.find(({ traceId, kind }) => traceId === id && kind === 2)
  expect(server?.attributes['tessera.job.id']).toBe(job.id)
  const span = collector.spans.find(({ traceId, name }) => traceId === id && name === 'job count')
  expect(span?.parentSpanId).toBe(server?.spanId)
})

test.each([
  ['the caller does not want it', caller(false).headers],
  ['nobody asks for it and no share is traced', {}],
  ['the header is malformed', { traceparent: '00-zz-00000000000000aa-01' }],
])('there is no trace if %s', async (_, headers) => {
  const answer = await gateway.send(`GET ${RECORD}`, { headers })
  expect(answer.status).toBe(200)
  expect(answer.headers['server-timing']).not.toContain('traceparent')
})

test(
  'a collector that refuses is reported once, and requests are answered meanwhile',
  { timeout: 90_000 },
  async () => {
    collector.status = 400
    const warnings = (): string[] => lines.filter((line) => line.includes('the collector takes no spans'))
    const { headers } = caller()
    expect((await gateway.send(`GET ${RECORD}`, { headers })).status).toBe(200)
    await expect.poll(() => warnings().length, { timeout: 20_000 }).toBe(1)
    // The next batch is refused as well.
    const before = collector.requests.length
    await gateway.send(`GET ${RECORD}`, { headers: caller().headers })
    await expect.poll(() => collector.requests.length, { timeout: 20_000 }).toBeGreaterThan(before)
    expect(warnings()).toHaveLength(1)
    collector.status = 200
    await gateway.send(`GET ${RECORD}`, { headers: caller().headers })
    await expect
      .poll(() => lines.filter((line) => line.includes('takes spans again')).length, { timeout: 20_000 })
      .toBe(1)
  },
)
