// Workloads: runs of the load generator as jobs, with their seconds, kept over a restart, compared.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.js'
import { openNativeEngine } from '../../src/engines/native.js'
import { useGateway } from '../gateway.js'

interface Run {
  id: string
  state: string
  endedAt?: string
  spec: Record<string, unknown>
  result?: { operations: number; errors: Record<string, number>; read: { count: number }; write: { count: number } }
  frames: { tps: number; read: { count: number }; write: { count: number } }[]
}

const START = 'POST /api/v1/workloads?wait=30s'
const small = { namespace: 'n', keys: 100, threads: 2, object: 'B:10', operations: 500, fill: true }

describe('/api/v1/workloads', () => {
  const gateway = useGateway()

  test('a run is a job with a place of its own, its seconds and its result', async () => {
    const { send, ok } = gateway()
    await gateway().memoryNamespace('n')
    const answer = await send(START, { body: { ...small, name: 'first' } })
    expect(answer.status, answer.text).toBe(202)
    const run = answer.json<Run>()
    expect(answer.headers['location']).toBe(`/api/v1/workloads/${run.id}`)
    expect(run).toMatchObject({ state: 'done', result: { operations: 500, errors: {} } })
    expect(run.spec).toMatchObject({ name: 'first', namespace: 'n', set: 'bench', workload: 'RU,95', keyLength: 10 })
    expect(await ok(`GET /api/v1/jobs/${run.id}`)).toMatchObject({
      kind: 'workload',
      unit: 'operations',
      state: 'done',
      who: 'token',
      done: 500,
      result: { operations: 500 },
    })
    const { frames } = await ok<Run>(`GET /api/v1/workloads/${run.id}`)
    const counted = frames.reduce((sum, { read, write }) => sum + read.count + write.count, 0)
    expect(counted).toBe(500)
    const { items } = await ok<{ items: Record<'read' | 'write', { count: number; buckets: number[] }>[] }>(
      `GET /api/v1/workloads/${run.id}/latency`,
    )
    const kept = items.flatMap(({ read, write }) => [read, write])
    const inBuckets = kept.flatMap(({ buckets }) => buckets).filter((_, place) => place % 2 === 1)
    expect(kept.reduce((sum, { count }) => sum + count, 0)).toBe(500)
    expect(inBuckets.reduce((sum, count) => sum + count, 0)).toBe(500)
    expect(await ok('GET /api/v1/namespaces/n/size?set=bench')).toMatchObject({ records: 100 })
  })

  test('the list is newest first, in pages', async () => {
    const { ok } = gateway()
    const { id } = await ok<Run>(START, { body: { ...small, name: 'second' } })
    const first = await ok<{ items: Run[]; truncated: boolean; cursor: string }>('GET /api/v1/workloads?limit=1')
    expect(first).toMatchObject({ items: [{ id }], truncated: true })
    const rest = await ok<{ items: Run[] }>(`GET /api/v1/workloads?cursor=${first.cursor}`)
    expect(rest.items.map(({ spec }) => spec['name'])).toEqual(['first'])
  })

  test('a run is aborted by its place, then forgotten', async () => {
    const { ok, send } = gateway()
    const { id } = await ok<Run>('POST /api/v1/workloads', {
      body: { ...small, operations: undefined, durationSeconds: 3600, targetTps: 10 },
    })
    expect((await send(`PATCH /api/v1/jobs/${id}`, { body: { paused: true } })).json()).toMatchObject({
      code: 'unsupported',
    })
    expect((await ok<Run>(`DELETE /api/v1/workloads/${id}`)).endedAt).toBeUndefined()
    expect(await ok(`GET /api/v1/workloads/${id}?wait=10s`)).toMatchObject({ state: 'aborted' })
    await ok(`DELETE /api/v1/workloads/${id}`)
    expect((await send(`GET /api/v1/workloads/${id}`)).json()).toMatchObject({ code: 'workload_not_found' })
  })

  test('runs are compared with the first of them', async () => {
    const { ok } = gateway()
    const { items } = await ok<{ items: Run[] }>('GET /api/v1/workloads')
    const ids = items.map(({ id }) => id)
    const { runs, figures } = await ok<{
      runs: Run[]
      figures: { figure: string; source: string; runs: { verdict: string; value: number; high?: number }[] }[]
    }>(`GET /api/v1/workloads/compare?ids=${ids.join(',')}`)
    expect(runs.map(({ id }) => id)).toEqual(ids)
    const percentile = (name: string) => figures.find(({ figure }) => figure === name)
    expect(percentile('readP50')).toMatchObject({ source: 'histograms' })
    expect(percentile('readP90')?.runs[1]?.value).toBeGreaterThanOrEqual(percentile('readP50')?.runs[1]?.value ?? NaN)
    expect(percentile('readP999')?.runs.map(({ high }) => high)).toEqual([undefined, undefined])
    expect(figures[0]).toMatchObject({
      figure: 'tps',
      source: 'seconds',
      runs: [{ verdict: 'baseline' }, { verdict: 'too-few-seconds' }],
    })
  })

  test('a key makes a repetition the same run', async () => {
    const { send } = gateway()
    const again = { body: small, headers: { 'content-type': 'application/json', 'idempotency-key': 'run-1' } }
    const [one, two] = [await send(START, again), await send(START, again)]
    expect(two.json<Run>().id).toBe(one.json<Run>().id)
    expect(two.headers['idempotency-replayed']).toBe('true')
  })

  test('a window on a namespace of single bins', async () => {
    const { ok, send } = gateway()
    const config = { name: 'one', storage: { engine: 'device' }, durability: 'relaxed', singleBin: true }
    await ok('POST /api/v1/namespaces', { body: config })
    const spec = { ...small, namespace: 'one', window: 8 }
    expect(await ok<Run>(START, { body: spec })).toMatchObject({ spec: { window: 8 }, result: { operations: 500 } })
    expect((await send(START, { body: { ...spec, bins: 2 } })).json()).toMatchObject({ code: 'single_bin' })
  })
})

test('runs outlive a restart', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-'))
  const config = readConfig(['--data', directory], {})
  const engine = await openNativeEngine(config)
  await engine.createNamespace({ name: 'n', storage: { engine: 'memory' } })
  const { id } = await engine.startWorkload(small)
  await engine.waitJob(id, 30_000)
  const before = await engine.workload(id)
  const latency = await engine.workloadLatency(id)
  await engine.close()
  const again = await openNativeEngine(config)
  expect(await again.workload(id)).toEqual(before)
  expect(await again.workloadLatency(id)).toEqual(latency)
  expect((await again.workloads()).items.map((run) => run.id)).toEqual([id])
  await again.close()
  await rm(directory, { recursive: true })
})

describe('on a production instance', () => {
  const gateway = useGateway({ environment: 'production' })

  test('a run that writes needs the name of its namespace', async () => {
    const { send, ok } = gateway()
    await gateway().memoryNamespace('n')
    expect((await send('POST /api/v1/workloads', { body: small })).json()).toMatchObject({ code: 'confirm_required' })
    await ok(START, { body: small, headers: { 'x-confirm': 'n' } })
    await ok(START, { body: { ...small, workload: 'RU,100', fill: false } })
  })
})
