// A damaged record costs itself: everything that reads many records goes on, and says so.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../src/app.js'
import { Access } from '../../src/auth/access.js'
import { readConfig } from '../../src/config.js'
import { openNativeEngine } from '../../src/engines/native.js'
import { Gateway, TOKEN } from '../gateway.js'

const ns = '/api/v1/namespaces/d'
const ndjson = { 'content-type': 'application/x-ndjson' }
let directory: string
let gateway: Gateway

async function open(): Promise<Gateway> {
  const config = readConfig(['--data', directory], { TESSERA_LOG_LEVEL: 'silent' })
  const engine = await openNativeEngine(config)
  const app = await buildApp({ config, engine, access: new Access(TOKEN), consoleFiles: join(directory, 'none') })
  await app.ready()
  await engine.settled()
  return new Gateway(app, directory)
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-'))
  const first = await open()
  await first.ok('POST /api/v1/namespaces', { body: { name: 'd', storage: { engine: 'device' }, segments: 4 } })
  const rows = Array.from({ length: 50 }, (_, n) =>
    JSON.stringify({ key: `k${n}`, n, text: `mark-${n}-${'x'.repeat(50)}` }),
  )
  await first.ok(`POST ${ns}/import?set=s&format=ndjson`, { body: rows.join('\n'), headers: ndjson })
  await first.app.close()
  const file = join(directory, 'namespaces/1/data.tsr')
  const bytes = readFileSync(file)
  const at = bytes.indexOf(`mark-7-${'x'.repeat(50)}`)
  bytes.writeUInt8(bytes.readUInt8(at + 20) ^ 1, at + 20)
  writeFileSync(file, bytes)
  gateway = await open()
})

afterAll(async () => {
  await gateway.app.close()
  await rm(directory, { recursive: true })
})

test('scans, pages, queries, streams and batches go on past it', async () => {
  const { send, ok } = gateway
  expect((await send(`GET ${ns}/sets/s/records/k7`)).json()).toMatchObject({ status: 500, code: 'record_damaged' })
  const digest = expect.any(String) as string
  const damaged = { error: { code: 'record_damaged', set: 's', digest } }

  interface Answer {
    records: object[]
    jobId: string
    summary: { damaged: number; returned: number }
  }
  const scan = await ok<Answer>(`POST ${ns}/scan`, { body: { set: 's' } })
  expect(scan.records).toHaveLength(50)
  expect(scan.records).toContainEqual(
    expect.objectContaining({ error: expect.objectContaining(damaged.error) as object }),
  )
  expect(scan.summary).toMatchObject({ returned: 49, damaged: 1 })
  expect(await ok(`GET /api/v1/jobs/${scan.jobId}`)).toMatchObject({
    state: 'done',
    damaged: 1,
    damage: [{ set: 's', digest }],
  })

  const query = await ok<Answer>(`POST ${ns}/query`, { body: { set: 's', where: { bin: 'n', op: 'lt', value: 10 } } })
  expect(query.summary).toMatchObject({ returned: 9, damaged: 1 })
  const lines = async (steps: object[]): Promise<string[]> => {
    const body = JSON.stringify({ set: 's', steps })
    const headers = { accept: 'application/x-ndjson', 'content-type': 'application/json' }
    return (await send(`POST ${ns}/stream`, { body, headers })).text.trim().split('\n')
  }
  const few = { filter: { bin: 'n', op: 'lt', value: 10 } }
  for (const steps of [[few], [few, { map: ['n'] }], [few, { sort: { bin: 'n', limit: 20 } }]]) {
    const told = (await lines(steps)).map((line) => JSON.parse(line) as object)
    expect(told).toHaveLength(10)
    expect(told.filter((line) => 'error' in line)).toMatchObject([damaged])
  }
  expect(await lines([few, { count: true }])).toEqual(['{"count":9}'])
  const streamed = await ok<{ rows: object[]; summary: object }>(`POST ${ns}/stream`, {
    body: { set: 's', steps: [few] },
  })
  expect(streamed.rows.filter((row) => 'error' in row)).toMatchObject([damaged])
  expect(streamed).toMatchObject({ summary: { returned: 9, damaged: 1 } })

  const page = await ok<{ items: object[] }>(`GET ${ns}/sets/s/records?limit=100`)
  expect(page.items).toHaveLength(50)
  const read = await send(`POST ${ns}/sets/s/read`, {
    body: '["k6","k7"]',
    headers: { 'content-type': 'application/json' },
  })
  expect(
    read.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toMatchObject([{ key: 'k6' }, { key: 'k7', error: { code: 'record_damaged' } }])
})

test('an export says what it lacks, and its import refuses that line', async () => {
  const { send, ok } = gateway
  const exported = await send(`GET ${ns}/export?set=s&format=ndjson`)
  expect(exported.text.trim().split('\n')).toHaveLength(50)
  expect(exported.text).toContain('{"error":{"code":"record_damaged",')
  const loaded = await ok(`POST ${ns}/import?set=copy&format=ndjson`, { body: exported.text, headers: ndjson })
  expect(loaded).toMatchObject({ rows: 50, inserted: 49, rejected: [{ code: 'record_damaged' }] })
  expect((await send(`GET ${ns}/export?set=s&format=csv`)).text.trim().split('\n')).toHaveLength(50)
})
