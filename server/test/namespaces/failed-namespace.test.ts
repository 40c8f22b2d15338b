// One namespace whose device cannot be opened, or is still being read: the others are served, and callers are told.
import { cp, readFile, rename, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openNativeEngine } from '../../src/engines/native.js'
import { useGateway } from '../gateway.js'

const write = { exists: 'upsert', shape: 'record' } as const
const bins = Buffer.from('{"a":1}')

/** Namespaces `lost` and `kept` on devices, with a record each; `lost` is the first. */
async function fill(directory: string, writeBlockBytes = 16_384): Promise<void> {
  const engine = await openNativeEngine({ dataDirectory: directory })
  for (const name of ['lost', 'kept']) {
    await engine.createNamespace({ name, storage: { engine: 'device', writeBlockBytes } })
    await engine.putRecord(name, 's', { type: 'string', value: '1' }, bins, write)
  }
  await engine.close()
}

const fileOf = (directory: string): string => join(directory, 'namespaces/1/data.tsr')

/** A request to every kind of route of one namespace: line, body, media type. */
const requests: [line: string, body?: string, type?: string][] = [
  ['GET /api/v1/namespaces/lost/sets/s/records/1'],
  ['PUT /api/v1/namespaces/lost/sets/s/records/1', '{"a":1}'],
  ['DELETE /api/v1/namespaces/lost/sets/s/records/1'],
  ['POST /api/v1/namespaces/lost/sets/s/records', '{"key":"1","bins":{}}', 'application/x-ndjson'],
  ['POST /api/v1/namespaces/lost/scan', '{}'],
  ['POST /api/v1/namespaces/lost/scan?explain=true', '{}'],
  ['POST /api/v1/namespaces/lost/query', '{"set":"s"}'],
  ['POST /api/v1/namespaces/lost/import?set=s&format=ndjson', '{"key":"1"}', 'application/x-ndjson'],
  ['GET /api/v1/namespaces/lost/export?set=s'],
  ['GET /api/v1/namespaces/lost/size'],
  ['GET /api/v1/namespaces/lost/segments'],
  ['GET /api/v1/namespaces/lost/sets'],
  ['POST /api/v1/namespaces/lost/sets', '{"name":"t"}'],
  ['PATCH /api/v1/namespaces/lost/sets/s', '{"index":true}'],
  ['DELETE /api/v1/namespaces/lost/sets/s'],
  ['GET /api/v1/namespaces/lost/indexes'],
  ['POST /api/v1/namespaces/lost/indexes', '{"name":"i","bin":"a","kind":"document"}'],
  ['PATCH /api/v1/namespaces/lost', '{"defaultTtlSeconds":5}'],
]
const compatible = ['GET /v1/kvs/lost/s/1', 'GET /v1/scan/lost/s', 'GET /v1/index?namespace=lost']

describe('a namespace that could not be opened', () => {
  let sound: Buffer
  const gateway = useGateway({}, undefined, async (directory) => {
    await fill(directory)
    sound = await readFile(fileOf(directory))
    await writeFile(fileOf(directory), 'not a device of ours')
  })

  test('is named, with its reason, wherever one looks', async () => {
    const { ok, send } = gateway()
    const wrong = { state: 'failed', stateCode: 'data_file_damaged' }
    const { items } = await ok<{ items: object[] }>('GET /api/v1/namespaces')
    expect(items).toMatchObject([
      { name: 'lost', ...wrong },
      { name: 'kept', state: 'ready' },
    ])
    const detail = await ok('GET /api/v1/namespaces/lost')
    expect(detail).toMatchObject({ ...wrong, records: 0, config: { storage: { engine: 'device' } } })
    expect(detail['stateReason']).toContain('no sound header')
    const status = await ok('GET /api/v1/status')
    expect(status).toMatchObject({ healthy: false, recovering: false, namespaces: 2, records: 1 })
    expect(status['notices']).toMatchObject([{ namespace: 'lost', state: 'failed', code: 'data_file_damaged' }])
    expect(status['health']).toMatch(/^lost: could not be opened: data\.tsr .*no sound header/)
    expect(await ok('GET /readyz')).toMatchObject({ ready: true, state: 'degraded', reasons: [status['health']] })
    expect((await send('GET /metrics')).text).toContain('tessera_namespace_ready{namespace="lost"} 0')
  })

  test.each(requests)('%s says that it failed', async (line, body, type = 'application/json') => {
    const answer = await gateway().send(line, body === undefined ? {} : { body, headers: { 'content-type': type } })
    expect(answer.status, answer.text).toBe(503)
    expect(answer.headers['retry-after']).toBeUndefined()
    expect(answer.json()).toMatchObject({ code: 'namespace_failed', retryable: false })
  })

  test.each(compatible)('%s says that it failed', async (line) => {
    const answer = await gateway().send(line)
    expect(answer.status).toBe(503)
    expect(answer.json()['message']).toContain('could not be opened')
  })

  test('the other one is served, on both APIs', async () => {
    const { ok } = gateway()
    await gateway().put('kept/sets/s/records/2', { a: 2 })
    expect(await ok('GET /api/v1/namespaces/kept/size')).toMatchObject({ records: 2 })
    expect(await ok('GET /v1/kvs/kept/s/1')).toMatchObject({ bins: { a: 1 } })
    expect(await ok('GET /v1/cluster')).toMatchObject({
      namespaces: [
        { name: 'lost', sets: [] },
        { name: 'kept', sets: [{ name: 's', objectCount: 2 }] },
      ],
    })
    await ok('POST /api/v1/namespaces/kept/indexes?wait=10s', { body: { name: 'by-a', bin: 'a', kind: 'range' } })
    expect(await ok('GET /v1/index')).toMatchObject([{ name: 'by-a', namespace: 'kept' }])
  })

  test('has no loss to accept: nothing happens', async () => {
    const { directory, ok, send } = gateway()
    const body = { acceptLoss: true }
    const line = 'POST /api/v1/namespaces/lost/reopen'
    for (const headers of [{}, { 'x-confirm': 'kept' }]) {
      const unconfirmed = await send(line, { body, headers: { ...headers } })
      expect([unconfirmed.status, unconfirmed.json()['code']]).toEqual([428, 'confirm_required'])
    }
    for (const name of ['lost', 'kept']) {
      const answer = await send(line.replace('lost', name), { body, headers: { 'x-confirm': name } })
      expect([answer.status, answer.json()]).toMatchObject([409, { code: 'no_loss', field: 'acceptLoss' }])
    }
    const misspelt = await send(line, { body: { acceptsLoss: true }, headers: { 'x-confirm': 'lost' } })
    expect(misspelt.status).toBe(400)
    expect(await ok('GET /api/v1/namespaces/lost')).toMatchObject({ stateCode: 'data_file_damaged', losses: [] })
    expect(await readFile(fileOf(directory), 'utf8')).toBe('not a device of ours')
  })

  test('opens again once its file is back, with its records', async () => {
    const { directory, ok, send } = gateway()
    const refused = await send('POST /api/v1/namespaces/lost/reopen')
    expect([refused.status, refused.json()['code']]).toEqual([500, 'data_file_damaged'])
    expect(await readFile(fileOf(directory), 'utf8')).toBe('not a device of ours')
    await writeFile(fileOf(directory), sound)
    expect(await ok('POST /api/v1/namespaces/lost/reopen')).toMatchObject({
      state: 'ready',
      records: 1,
      recovery: { start: 'warm', records: 1, blocks: 0, torn: 0, damaged: 0, damage: [] },
    })
    expect(await ok('POST /api/v1/namespaces/lost/reopen')).toMatchObject({ state: 'ready' })
    expect(await ok('GET /api/v1/namespaces/lost/sets/s/records/1')).toMatchObject({ bins: { a: 1 } })
    expect(await ok('GET /readyz')).toMatchObject({ ready: true, state: 'ready' })
    const missing = await send('POST /api/v1/namespaces/none/reopen')
    expect([missing.status, missing.json()['code']]).toEqual([404, 'namespace_not_found'])
  })
})

describe('dropping one that could not be opened', () => {
  const gateway = useGateway({ environment: 'production' }, undefined, async (directory) => {
    await fill(directory)
    await cp(fileOf(directory), join(directory, 'copy'))
    await rename(fileOf(directory), join(directory, 'namespaces/2/data.tsr'))
  })

  test('asks for the same confirmation as any drop', async () => {
    const { ok, send } = gateway()
    // What is in the place of `kept` is the file of `lost`.
    expect(await ok('GET /api/v1/namespaces/kept')).toMatchObject({ stateCode: 'data_file_foreign' })
    expect(await ok('GET /api/v1/namespaces/lost')).toMatchObject({ stateCode: 'data_file_missing' })
    const preview = await ok<{ bytes: number }>('DELETE /api/v1/namespaces/kept?dryRun=true')
    expect(preview.bytes).toBeGreaterThan(16_384)
    const refused = await send('DELETE /api/v1/namespaces/kept')
    expect([refused.status, refused.json()['code']]).toEqual([428, 'confirm_required'])
    await ok('DELETE /api/v1/namespaces/kept', { headers: { 'x-confirm': 'kept' } })
    await ok('DELETE /api/v1/namespaces/lost', { headers: { 'x-confirm': 'lost' } })
    expect(await ok('GET /api/v1/status')).toMatchObject({ healthy: true, namespaces: 0 })
  })
})

describe('a namespace that recovers', () => {
  // A hole that takes minutes to read; closing calls the recovery off.
  const HOLE = 400 * 1024 ** 3
  const gateway = useGateway({}, undefined, async (directory) => {
    await fill(directory, 8 * 1024 * 1024)
    await truncate(fileOf(directory), HOLE)
  })

  test('shows its progress, and the gateway is not ready', async () => {
    const { ok, send } = gateway()
    await ok('GET /healthz')
    const answer = await send('GET /readyz')
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
    expect(answer.json()).toMatchObject({ ready: false, state: 'starting', reasons: [] })
    const status = await ok<{ progress: { namespace: string; totalBytes: number }[] }>('GET /api/v1/status')
    expect(status).toMatchObject({ recovering: true, healthy: true })
    expect(status.progress[0]?.namespace).toBe('lost')
    expect(status.progress[0]?.totalBytes).toBeGreaterThan(HOLE * 0.99)
    expect((status as unknown as { health: string }).health).toMatch(/^recovering lost.*: \d+% /)
    expect(await ok('GET /api/v1/namespaces/lost')).toMatchObject({
      state: 'recovering',
      progress: { namespace: 'lost' },
    })
    expect((await ok<{ items: object[] }>('GET /api/v1/namespaces')).items).toHaveLength(2)
  })

  test('the smaller one does not wait for it', async () => {
    const { ok, send } = gateway()
    await expect.poll(async () => (await send('GET /api/v1/namespaces/kept/sets/s/records/1')).status).toBe(200)
    expect(await ok('GET /v1/index')).toEqual([])
    expect(await ok('GET /api/v1/namespaces/lost')).toMatchObject({ state: 'recovering' })
  })

  test.each(requests)('%s says when to come back', async (line, body, type = 'application/json') => {
    const answer = await gateway().send(line, body === undefined ? {} : { body, headers: { 'content-type': type } })
    expect([answer.status, answer.headers['retry-after']], answer.text).toEqual([503, '1'])
    expect(answer.json()).toMatchObject({ code: 'starting', retryable: true })
  })

  test.each(compatible)('%s says when to come back', async (line) => {
    const answer = await gateway().send(line)
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
  })

  test('cannot be dropped or opened twice, and namespaces can be made beside it', async () => {
    const { ok, send } = gateway()
    for (const line of ['DELETE /api/v1/namespaces/lost', 'POST /api/v1/namespaces/lost/reopen'])
      expect((await send(line)).json()).toMatchObject({ code: 'starting' })
    await gateway().memoryNamespace('new')
    expect(await ok('GET /api/v1/namespaces/new')).toMatchObject({ state: 'ready' })
  })
})
