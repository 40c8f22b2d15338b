// The lab: experiments run through the API of their own gateway, one at a time, and leave nothing behind.
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { buildApp } from '../../src/app.js'
import { Access } from '../../src/auth/access.js'
import { readConfig } from '../../src/config.js'
import { openNativeEngine } from '../../src/engines/native.js'
import { callerOf } from '../../src/lab/caller.js'
import { claim, type Experiment } from '../../src/lab/experiment.js'
import { measure } from '../../src/lab/measure/load.js'
import { LabRuns } from '../../src/lab/runs.js'
import type { LabRun } from '../../src/schemas/jobs/lab.js'
import { Gateway, TOKEN, useGateway } from '../gateway.js'

const published = { columns: [], rows: [], note: '' }

/** One that makes a namespace, loads it, and drops it. */
const small: Experiment = {
  id: 'small',
  title: 'Small',
  repeats: 'nothing',
  published,
  run: async (bench) => {
    const namespace = `${bench.prefix}-a`
    await bench.api.call('POST', '/namespaces', { name: namespace, storage: { engine: 'memory' } })
    try {
      bench.progress({ message: 'loading' }, 0.5)
      const result = await measure(bench, { namespace, workload: 'I', keys: 500, threads: 2 })
      const rows = [{ records: result.operations }]
      return {
        parameters: {},
        rows,
        claims: [claim('all', { message: 'all are there' }, result.operations, 'records', 500)],
      }
    } finally {
      await bench.api.call('DELETE', `/namespaces/${namespace}`, undefined, namespace)
    }
  },
}

const endless: Experiment = {
  ...small,
  id: 'endless',
  run: async (bench) => {
    const namespace = `${bench.prefix}-b`
    await bench.api.call('POST', '/namespaces', { name: namespace, storage: { engine: 'memory' } })
    try {
      await measure(bench, { namespace, keys: 10, fill: true, threads: 1, targetTps: 1, durationSeconds: 3600 })
    } finally {
      await bench.api.call('DELETE', `/namespaces/${namespace}`, undefined, namespace)
    }
    throw new Error('an hour went by')
  },
}

const failing: Experiment = {
  ...small,
  id: 'failing',
  run: (bench) => bench.api.call('GET', '/namespaces/nowhere'),
}

describe.each(['development', 'production'] as const)('in %s', (environment) => {
  const gateway = useGateway({ environment })
  const ended = async (runs: LabRuns, id: string): Promise<LabRun> => {
    await expect.poll(() => runs.get(id).endedAt).toBeDefined()
    return runs.get(id)
  }

  test('a run reports rows and claims and keeps no namespace', async () => {
    const runs = new LabRuns(gateway().app, [small, endless, failing])
    const { id } = await runs.start({ experiment: 'small' })
    const run = await ended(runs, id)
    expect(run).toMatchObject({ state: 'done', scale: 'quick', progress: { says: 'done', done: 1 } })
    expect(run.report).toMatchObject({
      experiment: 'small',
      rows: [{ records: 500 }],
      claims: [{ id: 'all', value: 500, bound: 500, holds: true }],
    })
    expect(run.report?.machine.cpus).toBeGreaterThan(0)
    expect(await gateway().ok('GET /api/v1/namespaces')).toMatchObject({ items: [] })
    const again = new LabRuns(gateway().app, [small])
    await again.open(Promise.resolve())
    expect(again.get(id)).toEqual(run)
    await again.remove(id)
    expect(await readdir(join(gateway().directory, 'lab'))).toEqual([])
  })

  test('one runs at a time, and is aborted with all it made', async () => {
    const runs = new LabRuns(gateway().app, [small, endless, failing])
    const { id } = await runs.start({ experiment: 'endless', scale: 'full' })
    await expect(runs.start({ experiment: 'small' })).rejects.toMatchObject({ code: 'lab_busy' })
    expect(await runs.remove(id)).toMatchObject({ state: 'running' })
    expect(await ended(runs, id)).toMatchObject({ state: 'aborted' })
    expect(await gateway().ok('GET /api/v1/namespaces')).toMatchObject({ items: [] })
    const failed = await ended(runs, (await runs.start({ experiment: 'failing' })).id)
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'namespace_not_found' } })
  })

  test('what a crash left behind is dropped at the next start', async () => {
    const { app, directory } = gateway()
    const cut = { id: '0cut', experiment: 'small', scale: 'quick', state: 'running', startedAt: '2026-01-01T00:00:00Z' }
    await mkdir(join(directory, 'lab'), { recursive: true })
    await writeFile(join(directory, 'lab/0cut.json'), JSON.stringify({ ...cut, progress: { says: '', done: 0 } }))
    await writeFile(join(directory, 'lab/torn.json'), '{"id":')
    await callerOf(app).call('POST', '/namespaces', { name: 'lab-0cut-a', storage: { engine: 'memory' } })
    await gateway().memoryNamespace('lab-other')
    const runs = new LabRuns(app, [small])
    await runs.open(Promise.resolve())
    expect(runs.get('0cut')).toMatchObject({ state: 'failed', error: { code: 'aborted' } })
    const names = async () =>
      (await gateway().ok<{ items: { name: string }[] }>('GET /api/v1/namespaces')).items.map(({ name }) => name)
    await expect.poll(names).toEqual(['lab-other'])
  })
})

test('a claim compares with its bound, either way', () => {
  expect([claim('a', { message: '' }, 2, 'x', 2).holds, claim('a', { message: '' }, 1.9, 'x', 2).holds]).toEqual([
    true,
    false,
  ])
  expect([
    claim('a', { message: '' }, 2, 'x', 2, true).holds,
    claim('a', { message: '' }, 2.1, 'x', 2, true).holds,
  ]).toEqual([true, false])
})

describe('a gateway that closes in the middle of a run', () => {
  const gateway = useGateway()

  test('leaves its namespaces to the next start, which drops them', async () => {
    const { app, directory, ok } = gateway()
    const { id } = await ok<LabRun>('POST /api/v1/lab', { body: { experiment: 'set-index' } })
    const made = async () => (await app.engine.jobs()).items.length + (await app.engine.workloads()).items.length
    await expect.poll(made).toBeGreaterThan(0)
    await app.close()

    const config = readConfig(['--data', directory], { TESSERA_LOG_LEVEL: 'silent' })
    const next = await buildApp({ config, engine: await openNativeEngine(config), access: new Access(TOKEN) })
    await next.ready()
    const { send } = new Gateway(next, directory)
    const look = async (path: string) => (await send(`GET /api/v1/${path}`)).json()
    expect(await look(`lab/runs/${id}`)).toMatchObject({ state: 'failed', error: { code: 'aborted' } })
    await expect.poll(() => look('namespaces')).toMatchObject({ items: [] })
    await next.close()
  })
})

describe('the routes', () => {
  const gateway = useGateway()

  test('an experiment is listed with its figures, started, watched and aborted', async () => {
    const { ok, send } = gateway()
    const { experiments } = await ok<{ experiments: { id: string; published: { rows: object[] } }[] }>(
      'GET /api/v1/lab',
    )
    expect(experiments.map(({ id }) => id)).toEqual(['page-size', 'parallel-index', 'segments', 'set-index', 'tps'])
    expect(experiments[4]?.published.rows[0]).toMatchObject({ record: '1k', tps: 1_124_875 })
    const started = await send('POST /api/v1/lab', { body: { experiment: 'tps' } })
    const { id } = started.json<LabRun>()
    expect([started.status, started.headers['location']]).toEqual([202, `/api/v1/lab/runs/${id}`])
    expect((await send('POST /api/v1/lab', { body: { experiment: 'tps' } })).json()).toMatchObject({ code: 'lab_busy' })
    expect(await ok('GET /api/v1/lab/runs')).toMatchObject({ items: [{ id, state: 'running' }] })
    await ok(`DELETE /api/v1/lab/runs/${id}`)
    await expect.poll(() => ok(`GET /api/v1/lab/runs/${id}`)).toMatchObject({ state: 'aborted' })
    expect(await ok('GET /api/v1/namespaces')).toMatchObject({ items: [] })
  })
})
