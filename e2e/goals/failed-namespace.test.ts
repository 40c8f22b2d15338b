import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { closePages, examineLooks, logIn, openBrowser, openPage, type Session, withPage } from '../browser/browser.ts'
import { call, createNamespace, send, type StoredRecord } from '../gateway/client.ts'
import { type Gateway, listeningGateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

// One namespace's device is damaged while the server is down: the others are served, the console says what is wrong, and
// with its file back the namespace is too.

interface FlushReport {
  flush: { failures: number; lastFailure?: { at: string } }
}

const record = (ns: string): string => `/api/v1/namespaces/${ns}/sets/s/records/1`
const home = newHome()
const file = join(home, 'data/namespaces/1/data.tsr')
let gateway: Gateway
let browser: Browser
let session: Session

beforeAll(async () => {
  browser = await openBrowser()
  gateway = await startGateway(home)
  for (const name of ['ledger', 'orders']) {
    await createNamespace(gateway, { name, storage: { engine: 'device', writeBlockBytes: 8_388_608 } })
    await send(gateway, 'PUT', record(name), { of: name })
  }
})

afterAll(async () => {
  await closePages(browser)
  await gateway.stop()
  removeHome(home)
})

async function look(path: string, name: string, check: (page: Page) => Promise<void>): Promise<void> {
  await withPage({ browser, session }, {}, async (page) => {
    await page.goto(gateway.url + path)
    await check(page)
    // Beside a recovery that takes all processors, figures come late for a moment, and are dimmed.
    await expect.poll(() => examineLooks(page, name)).toEqual([])
  })
}

/** A recovery takes all processors: here its threads leave them to pages, and to the thread that serves them. */
function yieldToPages({ pid }: Gateway): void {
  const threads = readdirSync(`/proc/${pid}/task`).map(Number)
  for (const thread of threads.filter((thread) => thread !== pid)) setPriority(thread, constants.priority.PRIORITY_LOW)
}

test('a damaged device stops nobody else, and the console says so', async () => {
  await gateway.stop()
  const sound = readFileSync(file)
  writeFileSync(file, 'this is no device')
  gateway = await startGateway(home)
  session = await logIn(browser, gateway)
  expect(gateway.output()).toContain('ledger: data.tsr')

  expect((await call<StoredRecord>(gateway, 'GET', record('orders'))).bins).toEqual({ of: 'orders' })
  expect((await send(gateway, 'PUT', record('orders'), { of: 'orders' })).ok).toBe(true)
  const refused = await send(gateway, 'GET', record('ledger'))
  expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'namespace_failed' }])

  await look('/', 'failed-overview', async (page) => {
    const health = page.getByRole('region', { name: 'Health' })
    await health.getByText('1 namespace needs attention').waitFor()
    await health.getByText('could not be opened: data.tsr').waitFor()
  })
  await look('/namespaces', 'failed-namespaces', async (page) => {
    await page.getByRole('row', { name: /ledger.*failed/ }).waitFor()
    await page.getByRole('row', { name: /orders.*ready/ }).waitFor()
  })
  await look('/namespaces/ledger/danger', 'failed-danger', async (page) => {
    await page.getByText('their number is not known').waitFor()
  })
  await look('/namespaces/ledger', 'failed-namespace', async (page) => {
    await page.getByRole('alert').getByText('data_file_damaged').waitFor()
  })

  const { page } = await openPage({ browser, session })
  await page.goto(gateway.url)
  await page.getByRole('region', { name: 'Health' }).getByRole('link', { name: 'ledger', exact: true }).click()
  await page.getByRole('button', { name: 'Open it again' }).waitFor()
  expect(readFileSync(file, 'utf8')).toBe('this is no device')
  writeFileSync(file, sound)
  await page.getByRole('button', { name: 'Open it again' }).click()
  await page.getByText('warm, from the index snapshot').waitFor()
  await page.context().close()
  expect((await call<StoredRecord>(gateway, 'GET', record('ledger'))).bins).toEqual({ of: 'ledger' })
})

test('a long recovery is shown, and the console goes on by itself when it is over', async () => {
  await gateway.stop()
  const { size } = statSync(file)
  // A hole that takes many minutes to read. It does not stay for the tests that follow.
  onTestFinished(() => truncateSync(file, size))
  truncateSync(file, 2 ** 40)
  gateway = await listeningGateway(home)
  await expect.poll(() => gateway.output()).toContain('Recovering ledger')
  yieldToPages(gateway)
  session = await logIn(browser, gateway)
  expect((await send(gateway, 'GET', '/healthz')).status).toBe(200)
  const ready = await send(gateway, 'GET', '/readyz')
  expect([ready.status, await ready.json()]).toMatchObject([503, { ready: false, state: 'starting' }])
  const starting = await send(gateway, 'GET', record('ledger'))
  expect([starting.status, starting.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await starting.json()).toMatchObject({ code: 'starting', retryable: true })

  await look('/', 'recovering-overview', async (page) => {
    await page.getByRole('progressbar', { name: 'Recovery of ledger' }).waitFor()
  })
  await look('/namespaces/ledger', 'recovering-namespace', async (page) => {
    await page.getByRole('main').getByRole('progressbar', { name: 'Recovery of ledger' }).waitFor()
  })

  const { page } = await openPage({ browser, session })
  await page.goto(`${gateway.url}/namespaces/ledger`)
  await page.getByRole('main').getByRole('progressbar', { name: 'Recovery of ledger' }).waitFor()
  // Without its hole the file is soon at its end.
  truncateSync(file, size)
  await page.getByRole('heading', { name: 'Recovery' }).waitFor()
  await page.getByRole('progressbar', { name: 'Recovery of ledger' }).waitFor({ state: 'detached' })
  expect((await call<StoredRecord>(gateway, 'GET', record('ledger'))).bins).toEqual({ of: 'ledger' })
  expect(gateway.output()).toContain('Recovery is done')
  await page.context().close()
})

test('damage that a recovery found is listed, and Overview leads there', async () => {
  await gateway.stop()
  const bytes = readFileSync(file)
  const at = bytes.lastIndexOf('ledger')
  bytes[at] = 0
  writeFileSync(file, bytes)
  // Without the index snapshot the start reads every record.
  rmSync(join(dirname(file), 'index.tss'))
  gateway = await startGateway(home)
  session = await logIn(browser, gateway)
  const damaged = await send(gateway, 'GET', record('ledger'))
  expect([damaged.status, await damaged.json()]).toMatchObject([500, { code: 'record_damaged' }])
  await look('/', 'damaged-overview', async (page) => {
    await page.getByRole('region', { name: 'Health' }).getByText('1 damaged place was found').waitFor()
  })
  await look('/namespaces/ledger', 'damaged-namespace', async (page) => {
    await page.getByRole('row', { name: /a record with a damaged body/ }).waitFor()
  })
})

test('a device that refuses writes is shown until it takes them again', async () => {
  const limitFiles = (bytes: string): void => {
    execFileSync('prlimit', ['--pid', String(gateway.pid), `--fsize=${bytes}:unlimited`])
  }
  const begun = Date.now()
  limitFiles('4096')
  const refused = await send(gateway, 'PUT', record('orders'), { of: 'orders' })
  expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'write_uncertain' }])
  // The write is flushed again until it succeeds; until then nobody can say which version stays.
  const unknown = await send(gateway, 'GET', record('orders'))
  expect([unknown.status, await unknown.json()]).toMatchObject([503, { code: 'write_uncertain' }])
  const other = await send(gateway, 'PUT', '/api/v1/namespaces/orders/sets/s/records/2', { of: 'orders' })
  expect([other.status, await other.json()]).toMatchObject([500, { code: 'storage_failed' }])
  expect((await send(gateway, 'GET', '/readyz')).status).toBe(503)
  await look('/', 'read-only-overview', async (page) => {
    await page.getByRole('link', { name: 'orders' }).first().waitFor()
    await page.getByText('refuses writes for now').waitFor()
  })
  await look('/namespaces/orders', 'read-only-namespace', async (page) => {
    await page.getByText('writes resume by themselves').waitFor()
  })
  await look('/namespaces/orders/device', 'read-only-device', async (page) => {
    await page.getByRole('alert').getByText('storage_failed').waitFor()
  })
  limitFiles('unlimited')
  await expect.poll(async () => (await send(gateway, 'GET', '/readyz')).status).toBe(200)
  expect((await send(gateway, 'PUT', record('orders'), { of: 'orders' })).ok).toBe(true)
  // Its last failure is told after it is gone.
  const { flush } = await call<FlushReport>(gateway, 'GET', '/api/v1/namespaces/orders/device?cells=0')
  expect(flush).toMatchObject({ queueBytes: 0, lastFailure: { code: 'storage_failed' } })
  expect(flush.failures).toBeGreaterThan(0)
  expect(Date.parse(flush.lastFailure?.at ?? '')).toBeGreaterThanOrEqual(begun)
  expect('failure' in flush).toBe(false)
  await look('/namespaces/orders/device', 'read-only-over-device', async (page) => {
    await page.getByText('Writes work again.').waitFor()
  })
})
