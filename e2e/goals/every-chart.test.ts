import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examine, withPage } from '../browser/browser.ts'
import { explored } from '../browser/charts.ts'
import { openSite, type Site } from '../browser/site.ts'
import { call, createNamespace, finish, type Job } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { isLong } from '../gateway/long.ts'
import { importRows } from '../gateway/rows.ts'

// Every chart of the console is explored once, and looked at in light and dark: the first of each page by pointer and by keys
// too, and every one if the run is long.

let site: Site
let gateway: Gateway
let run: string

const view = { viewport: { width: 1440, height: 900 } }

beforeAll(async () => {
  site = await openSite()
  gateway = site.gateway
  const engines = { shop: 'memory', ledger: 'device', vault: 'paged' }
  const cache = { cacheBytes: 64 * 1024 * 1024 }
  for (const [name, engine] of Object.entries(engines)) {
    await createNamespace(gateway, { name, storage: { engine, ...(engine === 'paged' && cache) } })
    await importRows(gateway, name, 'orders', rows(3000))
  }
  await importRows(gateway, 'shop', 'customers', rows(300))
  const spec = { name: 'detail', set: 'orders', bin: 'detail', kind: 'document', threads: 2 }
  const build = await call<Job>(gateway, 'POST', '/api/v1/namespaces/shop/indexes', spec)
  await finish(gateway, build)
  const workload = {
    namespace: 'shop',
    keys: 500,
    threads: 1,
    fill: true,
    durationSeconds: 4,
    targetTps: 500,
  }
  run = (await call<{ id: string }>(gateway, 'POST', '/api/v1/workloads', workload)).id
})

afterAll(() => site.close())

function* rows(amount: number): Generator<unknown> {
  for (let n = 0; n < amount; n += 1) yield { key: `k${n}`, text: 'x'.repeat(n % 900), detail: { sku: `S${n % 9}` } }
}

type Explored = readonly [title: string, series?: string]

/** Explores the charts of a page, looks at it in light and dark, and answers what is wrong with it. */
async function faultsOf(page: Page, name: string, charts: readonly Explored[]): Promise<string[]> {
  await page.mouse.move(0, 0)
  for (const [at, [title, series]] of charts.entries()) await explored(page, title, series, isLong || at === 0)
  const faults: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    faults.push(...(await examine(page, `charts-${name}-${colorScheme}`)))
  }
  return faults
}

const pages: readonly (readonly [name: string, path: string, charts: readonly Explored[]])[] = [
  [
    'live',
    '/live',
    [
      ['Latency', 'p50'],
      ['Within target', '≤ 5 ms'],
      ['Load', 'errors'],
    ],
  ],
  [
    'device',
    '/namespaces/ledger/device',
    [
      ['Throughput', 'write'],
      ['Operations', 'syncs'],
      ['Device latency', 'write'],
      ['Queue depth'],
      ['Busy'],
      ['Write amplification'],
      ['Flush queue'],
      ['Defragmentation queue'],
    ],
  ],
  [
    'storage',
    '/namespaces/vault/storage',
    [
      ['Log and checkpoints', 'ring'],
      ['Cache hits by kind of page', 'slot map'],
      ['Page and log traffic', 'log written'],
      ['Amplification now', 'write'],
    ],
  ],
  ['overview', '/namespaces/shop', [['Growth', 'trend']]],
  [
    'capacity',
    '/capacity',
    [
      ['Memory and flash', 'device: flash'],
      ['Cost', 'device'],
    ],
  ],
  ['index', '/indexes/shop/detail', [['Latency during the build', 'get p99']]],
]

test.each(pages)('%s', async (name, path, charts) => {
  await withPage(site, view, async (page) => {
    await page.goto(gateway.url + path)
    expect(await faultsOf(page, name, charts)).toEqual([])
  })
})

test('sets, with the histograms that a button counts', async () => {
  await withPage(site, view, async (page) => {
    await page.goto(`${gateway.url}/namespaces/shop/sets`)
    await page.getByRole('button', { name: 'Count', exact: true }).click()
    await page.getByText(/^3,\d00 records read in/).waitFor()
    expect(await faultsOf(page, 'sets', [['Size by set'], ['Sizes of records'], ['Times to live']])).toEqual([])
    const life = page.getByRole('region', { name: 'Times to live', exact: true })
    await life.getByRole('button', { name: 'Show Times to live as table' }).click()
    await life.getByRole('row', { name: /^never expires 3,/ }).waitFor()
  })
})

test('the rate of a job and of its workers, while it runs and after it', async () => {
  // It would take longer than this test may.
  const asked = { kind: 'scan', namespace: 'ledger', threads: 2, recordsPerSecond: 4 }
  const { id } = await call<Job>(gateway, 'POST', '/api/v1/jobs', asked)
  await withPage(site, view, async (page) => {
    await page.goto(`${gateway.url}/jobs?id=${id}`)
    expect(await faultsOf(page, 'job', [['Rate', 'worker 2']])).toEqual([])
    await call(gateway, 'DELETE', `/api/v1/jobs/${id}`)
    await page.getByRole('dialog').getByText('aborted', { exact: true }).first().waitFor()
    await explored(page, 'Rate', 'all workers', isLong)
  })
})

test('a benchmark run', async () => {
  await expect
    .poll(async () => (await call<{ state: string }>(gateway, 'GET', `/api/v1/workloads/${run}`)).state)
    .toBe('done')
  await withPage(site, view, async (page) => {
    await page.goto(`${gateway.url}/benchmarks/${run}`)
    expect(
      await faultsOf(page, 'run', [
        ['Throughput', 'writes'],
        ['Latency', 'read p99'],
      ]),
    ).toEqual([])
  })
})

test('the speed-up of a scan', async () => {
  await withPage(site, view, async (page) => {
    await page.goto(`${gateway.url}/scans?ns=shop&set=orders`)
    await page.getByRole('button', { name: 'Measure speed-up' }).click()
    const measured = page.getByRole('region', { name: 'Table: Speed-up' })
    await expect.poll(() => measured.getByRole('cell', { name: '3', exact: true }).count()).toBe(4)
    expect(await faultsOf(page, 'speed-up', [['Speed-up by threads', 'ideal']])).toEqual([])
  })
})

/** A run of an experiment with these rows. */
const labRun = (experiment: string, measured: readonly object[]) => {
  const at = { startedAt: '2026-01-31T12:00:00.000Z', endedAt: '2026-01-31T12:01:00.000Z' }
  const machine = { cpus: 2, memoryBytes: 4e9, device: 'disk' }
  const report = { experiment, scale: 'quick', ...at, machine, parameters: {}, rows: measured, claims: [] }
  return { id: experiment, experiment, scale: 'quick', state: 'done', ...at, progress: { says: '', done: 1 }, report }
}

const labRuns = [
  labRun(
    'tps',
    ['1k', '2k', '4k'].map((record, at) => ({ record, tps: 9000 - 2000 * at, steadyTps: 7000 - 2000 * at })),
  ),
  labRun(
    'page-size',
    [16, 64].flatMap((kib) =>
      ['load', '50/50', '95/5', 'read only'].map((phase, at) => ({
        pageBytes: kib * 1024,
        phase,
        throughput: 50_000 - kib * 100 * at,
        p99Us: 100 + kib * at,
      })),
    ),
  ),
  labRun(
    'set-index',
    ['memory', 'device'].flatMap((storage) =>
      [4, 128].flatMap((threads) =>
        ['on', 'off'].flatMap((index) =>
          [1e3, 1e4, 1e5].map((records) => ({
            storage,
            threads,
            index,
            plan: 'auto',
            records,
            elapsedMs: records / threads,
          })),
        ),
      ),
    ),
  ),
  labRun(
    'parallel-index',
    [1, 8].flatMap((threads) =>
      [1e4, 1e6].map((amount) => ({ kind: 'build', threads, rows: amount, elapsedMs: amount / threads })),
    ),
  ),
]

// The runs themselves take minutes: lab-page.test.ts makes some of them.
test.each([
  ['tps', [['Throughput by record size', 'published']]],
  [
    'page-size',
    [
      ['Throughput by phase', '64 KiB'],
      ['Gain of small pages', 'published'],
      ['Slow operations', '16 KiB'],
    ],
  ],
  [
    'set-index',
    [
      ['Records in memory', '4 threads, index on'],
      ['Records on a device', '128 threads, index off'],
    ],
  ],
  ['parallel-index', [['Building the index', '8 threads']]],
] as const)('the lab: %s', async (experiment, charts) => {
  await withPage(site, view, async (page) => {
    await page.route('**/api/v1/lab/runs**', (route) => route.fulfill({ json: { items: labRuns } }))
    await page.goto(`${gateway.url}/lab?experiment=${experiment}`)
    expect(await faultsOf(page, `lab-${experiment}`, charts)).toEqual([])
  })
})
