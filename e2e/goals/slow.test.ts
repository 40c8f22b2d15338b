import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePages, logIn, openBrowser, type Session, withPage } from '../browser/browser.ts'
import { call, createNamespace, lines } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { importRows } from '../gateway/rows.ts'

// An operation that was slow is found in the console, shown on Live at its moment and found from there, and it outlives
// `kill -9`, as its settings do.

interface Slow {
  id: number
  filter?: string
  filterShape?: string
  startedAt: string
  durationMs: number
  split: Record<string, number>
}

const home = newHome()
let gateway: Gateway
let browser: Browser
let session: Session

beforeAll(async () => {
  gateway = await startGateway(home)
  browser = await openBrowser()
  session = await logIn(browser, gateway)
  await createNamespace(gateway, { name: 'shop', storage: { engine: 'device' } })
  await importRows(
    gateway,
    'shop',
    'carts',
    Array.from({ length: 20 }, (_, n) => ({ key: `cart-${n}`, n })),
  )
})

afterAll(async () => {
  await closePages(browser)
  await gateway.stop()
  removeHome(home)
})

const listed = async (): Promise<Slow[]> =>
  (await call<{ items: Slow[] }>(gateway, 'GET', '/api/v1/slow?op=scan&minMs=100')).items

/** A scan at so many records a second takes long whatever the machine. It is listed a moment after its answer has ended. */
async function slowScan(): Promise<void> {
  const newest = async () => (await listed())[0]?.id
  const earlier = await newest()
  const where = { bin: 'n', op: 'ne', value: 'secret' }
  await lines(gateway, 'POST', '/api/v1/namespaces/shop/scan', {
    set: 'carts',
    recordsPerSecond: 50,
    threads: 1,
    where,
  })
  await expect.poll(newest).not.toBe(earlier)
}

test('a slow scan is found, opens Live at its moment, and is found there', async () => {
  await slowScan()
  const [scan] = await listed()
  if (scan === undefined) throw new Error('the scan was not slow')
  const sum = Object.values(scan.split).reduce((total, part) => total + part, 0)
  expect(Math.abs(sum - scan.durationMs)).toBeLessThanOrEqual(scan.durationMs * 0.05)
  await withPage({ browser, session }, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await page.goto(`${gateway.url}/slow?op=scan`)
    const row = page.getByRole('row').filter({ hasText: 'n != "secret"' })
    await row.getByRole('img', { name: /queue .*\(\d+%\)/ }).waitFor()
    await row.getByRole('link', { name: 'scan', exact: true }).click()

    await page.getByRole('heading', { level: 1, name: 'Live latency' }).waitFor()
    const moment = page.getByRole('region', { name: 'Slow operations' })
    await moment.getByRole('listitem').filter({ hasText: 'scan shop.carts' }).waitFor()
    // Without a selection the page says how to make one.
    const cursor = page.getByRole('slider', { name: 'Cursor of Latency.' })
    await cursor.press('Escape')
    await moment.getByText('Click on a chart').waitFor()
    await page.goBack()
    await row.getByRole('link', { name: 'scan', exact: true }).click()
    await moment.getByRole('link', { name: /^Show/ }).click()

    await page.getByRole('button', { name: / – .* ×$/ }).waitFor()
    await row.waitFor()
    await expect.poll(() => page.getByRole('table', { name: 'Slow operations' }).getByRole('row').count()).toBe(2)
  })
})

/** How many scans the history has. */
async function scansInHistory(): Promise<number> {
  const path = '/api/v1/metrics/history?step=1s&namespace=shop&op=scan'
  const { items } = await call<{ items: { latency: { side: string; count: number }[] }[] }>(gateway, 'GET', path)
  const series = items.flatMap(({ latency }) => latency).filter(({ side }) => side === 'engine')
  return series.reduce((sum, { count }) => sum + count, 0)
}

test('a cell of the heatmap lists the slow operations of its moment and its latency', async () => {
  const earlier = await scansInHistory()
  await slowScan()
  await expect.poll(scansInHistory).toBeGreaterThan(earlier)
  const [scan] = await listed()
  await withPage({ browser, session }, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await page.goto(`${gateway.url}/live?ns=shop&op=scan&window=5m`)
    const cursor = page.getByRole('slider', { name: 'Cursor of Latency.' })
    const tip = page.locator('.tip')
    const moment = page.getByRole('region', { name: 'Slow operations' })
    await cursor.waitFor()
    await expect
      .poll(async () => {
        await cursor.press('ArrowLeft')
        return await tip.textContent()
      })
      .toMatch(/n1errors/)
    await cursor.press('ArrowUp')
    await expect.poll(() => tip.textContent()).toMatch(/: 1 \(100%\)/)
    await cursor.press('Enter')
    await page.waitForURL(/latency\.cell=/)
    await moment.getByRole('button', { name: 'All latencies' }).waitFor()
    await moment.getByRole('listitem').filter({ hasText: 'scan shop.carts' }).waitFor()
    await moment.getByRole('link', { name: /^Show/ }).click()
    await page.getByRole('button', { name: /^engine .* ×$/ }).waitFor()
    await page.getByRole('row').filter({ hasText: 'n != "secret"' }).waitFor()
    // Another cell of the same moment has none.
    const at = Date.parse(scan?.startedAt ?? '') + (scan?.durationMs ?? 0)
    const span = `${at - 2e3}..${at + 2e3}`
    await page.goto(
      `${gateway.url}/live?ns=shop&op=scan&window=5m#latency.select=${span}&latency.cell=1000000..2000000`,
    )
    await moment.getByText('None of this cell is kept.').waitFor()
    await moment.getByRole('button', { name: 'All latencies' }).click()
    await moment.getByRole('listitem').filter({ hasText: 'scan shop.carts' }).waitFor()
  })
})

/** What `kill -9` leaves of the slow operations, as text. */
const onDisk = (): string => readFileSync(join(home, 'data', 'history', 'slow.log'), 'latin1')

test('slow operations outlive kill -9, and none that were removed come back', async () => {
  await slowScan()
  const before = await listed()
  const [newest] = before
  if (newest?.filter === undefined) throw new Error('the scan was not slow')
  await expect.poll(() => onDisk().split('n != "secret"').length).toBeGreaterThan(before.length)
  await gateway.stop('SIGKILL')
  gateway = await startGateway(home)
  expect(await listed()).toEqual(before)
  const status = await call<{ gatewayNotices: { code: string }[] }>(gateway, 'GET', '/api/v1/status')
  expect(status).toMatchObject({ slowLog: { damaged: 0, unreadable: [] } })
  // On a busy machine there may be others.
  expect(status.gatewayNotices.filter(({ code }) => code.startsWith('slow'))).toEqual([])
  await slowScan()
  expect((await listed())[0]?.id).toBeGreaterThan(newest.id)

  await call(gateway, 'DELETE', '/api/v1/slow')
  await gateway.stop('SIGKILL')
  expect(onDisk()).not.toContain('secret')
  gateway = await startGateway(home)
  expect(await listed()).toEqual([])
})

test('keys that are not kept stay away, also after kill -9', async () => {
  await slowScan()
  await expect.poll(onDisk).toContain('secret')
  // The gateway is another one.
  session = await logIn(browser, gateway)
  await withPage({ browser, session }, {}, async (page) => {
    await page.goto(`${gateway.url}/slow`)
    const keeps = page.getByRole('switch', { name: 'Keep keys and values of filters' })
    await expect.poll(() => keeps.getAttribute('aria-checked')).toBe('true')
    await keeps.click()
    await expect.poll(() => keeps.getAttribute('aria-checked')).toBe('false')
    await page.getByLabel('Threshold, in milliseconds').fill('120')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
  })
  expect(JSON.stringify(await listed())).not.toContain('secret')
  expect(onDisk()).not.toContain('secret')
  await gateway.stop('SIGKILL')
  gateway = await startGateway(home)
  expect(await call(gateway, 'GET', '/api/v1/slow/settings')).toMatchObject({ thresholdMs: 120, keepKeys: false })
  await slowScan()
  const after = await listed()
  expect(after.map(({ filter, filterShape }) => [filter, filterShape])).toEqual([
    [undefined, 'n != ?'],
    [undefined, 'n != ?'],
  ])
  expect(onDisk()).not.toContain('secret')
})
