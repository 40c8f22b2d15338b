import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { call, createNamespace, type Job } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

// Jobs and benchmark runs outlive `kill -9`, and thousands of scans evict none of them.

interface Kinded extends Job {
  kind: string
}

interface List<T> {
  items: T[]
  truncated: boolean
  cursor?: string
}

interface Status {
  jobHistory: { damaged: number; unreadable: string[]; failure?: object }
}

interface Run {
  id: string
  state: string
  frames: object[]
}

const SCANS = 600
const home = newHome()
let gateway: Gateway | undefined

afterAll(async () => {
  await gateway?.stop()
  removeHome(home)
})

async function all(target: Gateway, query: string): Promise<Kinded[]> {
  const jobs: Kinded[] = []
  let cursor = ''
  for (;;) {
    const page = await call<List<Kinded>>(target, 'GET', `/api/v1/jobs?limit=100&${query}${cursor}`)
    jobs.push(...page.items)
    if (page.cursor === undefined) return jobs
    cursor = `&cursor=${page.cursor}`
  }
}

const status = async (target: Gateway): Promise<Status['jobHistory']> =>
  (await call<Status>(target, 'GET', '/api/v1/status')).jobHistory

/** Whether the log has the end of a job. */
const isDone = (log: string, id: string): boolean =>
  log
    .slice(log.lastIndexOf(`"id":"${id}"`))
    .split('TsJ1', 1)[0]
    ?.includes('"state":"done"') ?? false

test('kill -9 of the gateway leaves the jobs and the runs as they were', async () => {
  gateway = await startGateway(home)
  const first = gateway
  await createNamespace(first, { name: 'shop', storage: { engine: 'memory' } })
  const start = (body: object): Promise<Job> => call<Job>(first, 'POST', '/api/v1/jobs?wait=30s', body)
  const truncation = await start({ kind: 'truncate', namespace: 'shop' })
  const spec = { namespace: 'shop', keys: 10, threads: 1, targetTps: 10, durationSeconds: 3600 }
  const { id: run } = await call<Run>(first, 'POST', '/api/v1/workloads', spec)
  for (let n = 0; n < SCANS; n += 1) await start({ kind: 'scan', namespace: 'shop' })
  const seconds = async (target: Gateway): Promise<object[]> =>
    (await call<Run>(target, 'GET', `/api/v1/workloads/${run}`)).frames
  await expect.poll(async () => (await seconds(first)).length).toBeGreaterThan(1)

  // What is in the file is safe, synced or not.
  const safe = await all(first, 'state=done')
  expect(safe).toHaveLength(SCANS + 1)
  const safeSeconds = await seconds(first)
  const log = (): string => readFileSync(join(home, 'data', 'jobs.log'), 'latin1')
  await expect.poll(() => safe.filter(({ id }) => !isDone(log(), id)), { interval: 20 }).toEqual([])
  await first.stop('SIGKILL')
  gateway = await startGateway(home)

  const after = await all(gateway, 'state=done')
  expect(after).toEqual(safe)
  expect(await all(gateway, 'kind=truncate')).toEqual([truncation])
  const cut = await call<Job>(gateway, 'GET', `/api/v1/jobs/${run}`)
  expect(cut).toMatchObject({ kind: 'workload', state: 'failed', error: { code: 'aborted' } })
  expect((await seconds(gateway)).slice(0, safeSeconds.length)).toEqual(safeSeconds)
  const { damaged, unreadable, failure } = await status(gateway)
  expect({ damaged, unreadable, failure }).toEqual({ damaged: 0, unreadable: [], failure: undefined })
  expect(await all(gateway, 'state=running')).toEqual([])
})
