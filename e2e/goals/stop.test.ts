import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { call, createNamespace, type Job, lines, send } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

// An operator restarts the server while it is in use. Each client learns why its stream ends, and nothing acknowledged is lost.

const ROWS = 20_000
let home: string
let gateway: Gateway

beforeEach(() => {
  home = newHome()
})

afterEach(async () => {
  await gateway.stop('SIGKILL')
  removeHome(home)
})

/** Resolves with the head of the answer. */
function open(
  method: string,
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const authorization = `Bearer ${gateway.token}`
    const asked = request(`${gateway.url}${path}`, { method, headers: { authorization, ...headers } }, resolve)
    asked.once('error', reject)
    asked.end(body)
  })
}

const json = { 'content-type': 'application/json', accept: 'application/x-ndjson' }

/** What came, and whether the answer was ended as a whole. */
async function rest(answer: IncomingMessage): Promise<{ seen: string; whole: boolean }> {
  let seen = ''
  answer.setEncoding('utf8').on('data', (piece: string) => (seen += piece))
  await text(answer).catch(() => undefined)
  return { seen, whole: answer.complete }
}

async function fill(name: string): Promise<void> {
  await createNamespace(gateway, { name, storage: { engine: 'device' }, segments: 4 })
  const rows = Array.from({ length: ROWS }, (_, n) => JSON.stringify({ key: n, bins: { n, pad: 'x'.repeat(900) } }))
  const headers = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/x-ndjson' }
  const url = `${gateway.url}/api/v1/namespaces/${name}/sets/s/records`
  const stored = await fetch(url, { method: 'POST', headers, body: rows.join('\n') })
  expect(await stored.json()).toMatchObject({ written: ROWS })
}

test('streams, imports and slow readers', { timeout: 120_000 }, async () => {
  gateway = await startGateway(home)
  await fill('shop')
  const live = await open('GET', '/api/v1/live?topics=process')
  await once(live, 'data')
  const slow = JSON.stringify({ set: 's', recordsPerSecond: 50, threads: 1 })
  const scan = await open('POST', '/api/v1/namespaces/shop/scan', slow, json)
  const unread = await open('POST', '/api/v1/namespaces/shop/scan', '{"set":"s"}', json)
  unread.on('error', () => undefined)
  const upload = request(`${gateway.url}/api/v1/namespaces/shop/import?set=up&format=ndjson&key=id`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'transfer-encoding': 'chunked' },
  }).on('error', () => undefined)
  upload.write('{"id":"a"}\n{"id":"b"}\n')
  const jobs = async () => (await call<{ items: (Job & { kind: string })[] }>(gateway, 'GET', '/api/v1/jobs')).items
  const running = async (kind: string) => (await jobs()).find((job) => job.kind === kind && job.state === 'running')
  await expect.poll(() => running('import'), { interval: 20, timeout: 20_000 }).toBeDefined()
  const imported = (await running('import'))?.id ?? ''

  const ends = Promise.all([rest(live), rest(scan)])
  expect(await gateway.stop('SIGTERM')).toBe(0)
  const [frames, records] = await ends
  expect(frames.seen).toMatch(/event: end\ndata: \{"code":"closed","message":"[^"]+"\}\n\n$/)
  expect(records.seen).toMatch(/\n\{"error":\{"code":"closed","message":"[^"]+"\}\}\n$/)
  expect(records.whole).toBe(false)

  gateway = await startGateway(home)
  expect(await lines(gateway, 'POST', '/api/v1/namespaces/shop/scan', { set: 's', bins: ['n'] })).toHaveLength(ROWS)
  const interrupted = await call(gateway, 'GET', `/api/v1/imports/${imported}`)
  expect(interrupted).toMatchObject({ state: 'interrupted', receivedBytes: 0 })
})

test('readiness goes first, and what is under way is served until then', { timeout: 60_000 }, async () => {
  gateway = await startGateway(home, [], { TESSERA_DRAIN: '2s' })
  await createNamespace(gateway, { name: 'shop', storage: { engine: 'memory' }, segments: 4 })
  const stopped = gateway.stop('SIGTERM')
  await expect
    .poll(async () => (await send(gateway, 'GET', '/readyz')).json(), { interval: 10 })
    .toMatchObject({ ready: false, state: 'stopping' })
  const put = await send(gateway, 'PUT', '/api/v1/namespaces/shop/sets/s/records/a', { n: 1 })
  expect([put.status, put.headers.get('connection')]).toEqual([201, 'close'])
  expect(await stopped).toBe(0)
})

test('a second signal ends it at once', { timeout: 60_000 }, async () => {
  gateway = await startGateway(home, [], { TESSERA_DRAIN: '60s' })
  process.kill(gateway.pid, 'SIGTERM')
  await expect.poll(async () => (await send(gateway, 'GET', '/readyz')).status, { interval: 10 }).toBe(503)
  expect(await gateway.stop('SIGTERM')).toBe(1)
})
