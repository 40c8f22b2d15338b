// Jobs that are started by themselves: scan, count, truncate, scrub, calibrate.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { useGateway } from '../gateway.js'

interface Job {
  id: string
  state: string
  threads: number
  done: number
  result?: Record<string, unknown>
  progress?: { stepMs: number; done: number[] }
  lanes?: { worker: number; state: string; item: number; items: number; done: number; ratePerSecond: number }[]
}

describe('POST /api/v1/jobs', () => {
  const gateway = useGateway({ defaultThreads: 2 })
  const start = 'POST /api/v1/jobs?wait=30s'

  test('a scan and a count say what they met', async () => {
    const { ok, send } = gateway()
    await gateway().memoryNamespace('n')
    const lines = Array.from({ length: 1000 }, (_, i) => `{"key":${i},"bins":{"i":${i}}}`)
    await ok('POST /api/v1/namespaces/n/sets/s/records', {
      body: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const scan = await send(start, { body: { kind: 'scan', namespace: 'n', set: 's', useIndex: 'never' } })
    expect(scan.status).toBe(202)
    const job = scan.json<Job>()
    expect(scan.headers['location']).toBe(`/api/v1/jobs/${job.id}`)
    expect(job).toMatchObject({ kind: 'scan', state: 'done', who: 'token', namespace: 'n', set: 's', done: 1000 })
    expect(job.result).toMatchObject({ records: 1000, scanned: 1000 })
    expect(job.result?.['bytes']).toBeGreaterThan(10_000)
    const where = '{"and":[{"bin":"i","op":"ge","value":9},{"bin":"i","op":"lt","value":9007199254740993}]}'
    const count = await ok<Job>(start, {
      body: `{"kind":"count","namespace":"n","where":${where}}`,
      headers: { 'content-type': 'application/json' },
    })
    expect(count).toMatchObject({ kind: 'count', result: { records: 991, scanned: 1000 } })
  })

  test('it is watched, changed and aborted like any job', async () => {
    const { ok, send } = gateway()
    const body = { kind: 'count', namespace: 'n', set: 's', threads: 1, recordsPerSecond: 1 }
    const { id } = await ok<Job>('POST /api/v1/jobs', { body })
    expect(await ok(`GET /api/v1/jobs/${id}`)).toMatchObject({ state: 'running', recordsPerSecond: 1, total: 1000 })
    expect(await ok(`PATCH /api/v1/jobs/${id}`, { body: { threads: 4, recordsPerSecond: 2 } })).toMatchObject({
      threads: 4,
      recordsPerSecond: 2,
    })
    await ok(`DELETE /api/v1/jobs/${id}`)
    expect(await ok(`GET /api/v1/jobs/${id}?wait=10s`)).toMatchObject({ state: 'aborted' })
    expect((await send(`DELETE /api/v1/jobs/${id}`)).json()).toMatchObject({ code: 'job_finished' })
  })

  test('its workers are told apart while it runs, and come with its threads', async () => {
    const { ok } = gateway()
    const body = { kind: 'scan', namespace: 'n', set: 's', threads: 2, recordsPerSecond: 2 }
    const { id } = await ok<Job>('POST /api/v1/jobs', { body })
    const withLanes = (count: number) =>
      vi.waitUntil(
        async () => {
          const job = await ok<Job>(`GET /api/v1/jobs/${id}`)
          const begun = job.lanes?.filter(({ item }) => item !== undefined)
          return begun?.length === count && job
        },
        { timeout: 60_000 },
      )
    const { lanes = [] } = await withLanes(2)
    expect(lanes.map(({ worker }) => worker)).toEqual([0, 1])
    for (const lane of lanes) {
      expect(['working', 'throttled']).toContain(lane.state)
      expect(lane.item).toBeLessThan(lane.items)
      expect(typeof lane.ratePerSecond).toBe('number')
    }
    await ok(`PATCH /api/v1/jobs/${id}`, { body: { threads: 5 } })
    const more = await withLanes(5)
    // What is done is counted before the worker's share of it.
    expect(more.lanes?.reduce((sum, { done }) => sum + done, 0)).toBeLessThanOrEqual(more.done)
    const waited = await ok<Job>(`GET /api/v1/jobs/${id}?wait=1ms`)
    expect(waited.lanes).toHaveLength(5)
    const { items } = await ok<{ items: Job[] }>('GET /api/v1/jobs?state=running')
    expect(items.find((job) => job.id === id)).not.toHaveProperty('lanes')
    await ok(`DELETE /api/v1/jobs/${id}`)
    expect(await ok(`GET /api/v1/jobs/${id}?wait=10s`)).not.toHaveProperty('lanes')
  })

  test('how far it was over time stays with it, and is in no list', async () => {
    const { ok } = gateway()
    const body = { kind: 'scan', namespace: 'n', set: 's', threads: 1, recordsPerSecond: 5 }
    const { id } = await ok<Job>('POST /api/v1/jobs', { body })
    const look = () => ok<Job>(`GET /api/v1/jobs/${id}`)
    const later = async () => (await look()).progress !== undefined && (await look())
    const { progress, done } = (await vi.waitUntil(later, { timeout: 60_000 })) as Required<Job>
    expect(progress.stepMs).toBe(1000)
    expect(progress.done.every((one) => one > 0 && one <= done)).toBe(true)
    const { items } = await ok<{ items: Job[] }>('GET /api/v1/jobs?state=running')
    expect(items.find((job) => job.id === id)).not.toHaveProperty('progress')
    await ok(`DELETE /api/v1/jobs/${id}`)
    const ended = (await ok<Job>(`GET /api/v1/jobs/${id}?wait=10s`)) as Required<Job>
    expect(ended.progress.done.slice(0, progress.done.length)).toEqual(progress.done)
  })

  test('a scan, a count are of records without a set too, a truncation is not', async () => {
    const { ok, send } = gateway()
    for (const kind of ['scan', 'count']) {
      const job = await ok<Job>(start, { body: { kind, namespace: 'n', set: '' } })
      expect(job).toMatchObject({ state: 'done', result: { records: 0 } })
    }
    const refused = await send('POST /api/v1/jobs', { body: { kind: 'truncate', namespace: 'n', set: '' } })
    expect(refused.json()).toMatchObject({ status: 400, code: 'name_invalid', field: 'set' })
  })

  test('a scrub says what it read and names what is damaged', async () => {
    const { directory, ok, send } = gateway()
    const storage = { engine: 'device', writeBlockBytes: 16_384 }
    await ok('POST /api/v1/namespaces', { body: { name: 'disk', storage, durability: 'commit', maxRecordBytes: 8192 } })
    // A block that is full is stored as a whole.
    for (const key of [1, 2, 3, 4, 5])
      await gateway().put(`disk/sets/s/records/${key}`, { text: `text ${key}`.repeat(700) })
    const body = { kind: 'scrub', namespace: 'disk', bytesPerSecond: 0 }
    const sound = await ok<Job>(start, { body })
    expect(sound).toMatchObject({ kind: 'scrub', state: 'done', unit: 'bytes', damaged: 0 })
    expect(sound.result).toMatchObject({ damagedRecords: 0, damagedBlocks: 0 })

    const file = join(directory, 'namespaces/2/data.tsr')
    const bytes = await readFile(file)
    bytes[bytes.indexOf('text 1')] = 0
    await writeFile(file, bytes)
    const found = await ok<Job>(start, { body })
    expect(found).toMatchObject({ state: 'done', damaged: 1, result: { damagedRecords: 1 }, damage: [{ set: 's' }] })
    const message = 'the record of {length} bytes at {place} cannot be read: {why}'
    expect(found).toMatchObject({ damage: [{ said: { message, values: { length: expect.any(Number) } } }] })
    expect(JSON.stringify(found)).toContain('data.tsr')
    const status = await ok<{ notices: object[] }>('GET /api/v1/status')
    expect(status.notices).toMatchObject([{ namespace: 'disk', code: 'record_damaged' }])
    expect((await send('GET /api/v1/namespaces/disk/sets/s/records/2')).status).toBe(200)
  })

  test('a calibration measures the device, and scans say what they cost beside the plan', async () => {
    const { ok } = gateway()
    const storage = { engine: 'device', writeBlockBytes: 16_384, postWriteCacheBytes: 0 }
    const settings = { durability: 'commit', maxRecordBytes: 8192 }
    await ok('POST /api/v1/namespaces', { body: { name: 'measured', storage, ...settings } })
    for (const key of [1, 2, 3, 4, 5])
      await gateway().put(`measured/sets/s/records/${key}`, { text: `text ${key}`.repeat(700) })
    const explain = () => ok<{ costs: object }>('POST /api/v1/namespaces/measured/scan', { body: { explain: true } })
    expect(await explain()).toMatchObject({ method: 'device-sequential', costs: { randomReadNs: 10_000 } })
    expect((await explain()).costs).not.toHaveProperty('measuredAt')
    const job = await ok<Job>(start, { body: { kind: 'calibrate', namespace: 'measured' } })
    expect(job).toMatchObject({ kind: 'calibrate', state: 'done' })
    const { costs } = await explain()
    expect(costs).toEqual({ ...job.result, measuredAt: expect.stringMatching(/Z$/) as string })
    for (const [plan, blocks] of [
      ['device', 1],
      ['set-column', 0],
    ] as const) {
      const scan = await ok<Job>(start, { body: { kind: 'scan', namespace: 'measured', plan } })
      const { estimatedMs, elapsedMs, reads } = scan.result ?? {}
      expect([typeof estimatedMs, typeof elapsedMs]).toEqual(['number', 'number'])
      expect(reads).toMatchObject({ blocks })
    }
  })

  test('a truncation empties its set', async () => {
    const { ok } = gateway()
    const job = await ok<Job>(start, { body: { kind: 'truncate', namespace: 'n', set: 's' } })
    expect(job).toMatchObject({ kind: 'truncate', state: 'done', result: { records: 1000 } })
    expect(await ok('GET /api/v1/namespaces/n/size')).toMatchObject({ records: 0 })
  })
})

describe('on a production instance', () => {
  const gateway = useGateway({ environment: 'production' })

  test('a truncation needs the name of what goes, a count does not', async () => {
    const { send, ok } = gateway()
    await gateway().memoryNamespace('n')
    await gateway().put('n/sets/s/records/a', '{}')
    const truncate = { body: { kind: 'truncate', namespace: 'n', set: 's' } }
    expect((await send('POST /api/v1/jobs', truncate)).json()).toMatchObject({ code: 'confirm_required' })
    expect((await send('POST /api/v1/jobs', { ...truncate, headers: { 'x-confirm': 'n' } })).status).toBe(428)
    await ok('POST /api/v1/jobs', { body: { kind: 'count', namespace: 'n' } })
    await ok('POST /api/v1/jobs?wait=30s', { ...truncate, headers: { 'x-confirm': 's' } })
    expect(await ok('GET /api/v1/namespaces/n/size')).toMatchObject({ records: 0 })
  })
})
