import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineLooks, hasFocus, openPage, withPage } from '../browser/browser.ts'
import { openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'
import { pick } from '../browser/pick.ts'
import { call, createNamespace, type Job } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { importRows } from '../gateway/rows.ts'

let site: Site
let gateway: Gateway

beforeAll(async () => {
  site = await openShop(orders())
  gateway = site.gateway
  await createNamespace(gateway, { name: 'archive', storage: { engine: 'device', postWriteCacheBytes: 0 } })
  await importRows(gateway, 'archive', 'orders', orders())
})

afterAll(() => site.close())

function* orders(): Generator<unknown> {
  for (let n = 0; n < 3000; n += 1) yield { key: `order-${n}`, n, note: 'x'.repeat(400) }
}

const workers = (page: Page) => page.getByRole('region', { name: 'Workers of Scan shop.orders' }).locator('tbody tr')
const speedUp = (page: Page) => page.getByRole('region', { name: 'Table: Speed-up' }).locator('tbody tr')

/** What the newest jobs of scans are like. */
const scans = async (): Promise<(Job & { threads: number })[]> =>
  (await call<{ items: (Job & { threads: number })[] }>(gateway, 'GET', '/api/v1/jobs?kind=scan&limit=20')).items

async function visit(page: Page, ns: string): Promise<void> {
  await page.goto(`${gateway.url}/scans?ns=${ns}&set=orders`)
  await page.getByText('records · ').first().waitFor()
}

/** A scan that goes on until it is stopped. */
async function runSlowly(page: Page, threads: number): Promise<void> {
  await page.getByLabel('Threads', { exact: true }).fill(String(threads))
  await page.getByLabel('Records per second').fill('1')
  await page.getByLabel('Limit').fill('')
  await page.getByRole('button', { name: 'Run scan' }).click()
}

test('the workers of a running scan are shown, and follow its threads', async () => {
  await withPage(site, {}, async (page) => {
    await visit(page, 'shop')
    await runSlowly(page, 3)
    await expect.poll(() => workers(page).count()).toBe(3)
    await workers(page)
      .first()
      .getByText(/working|throttled/)
      .waitFor()
    await page.getByLabel('threads', { exact: true }).last().fill('5')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await expect.poll(() => workers(page).count()).toBe(5)
    await page.getByRole('button', { name: 'Stop' }).first().click()
    await expect.poll(() => workers(page).count()).toBe(0)
  })
})

test('one click measures the speed-up over 1, 2, 4 and 8 threads', async () => {
  await withPage(site, {}, async (page) => {
    await visit(page, 'shop')
    await page.getByRole('button', { name: 'Measure speed-up' }).click()
    await expect.poll(() => speedUp(page).getByRole('cell', { name: '3', exact: true }).count()).toBe(4)
    await expect.poll(() => speedUp(page).locator('th').allTextContents()).toEqual(['1', '2', '4', '8'])
    await expect.poll(() => speedUp(page).first().textContent()).toContain('1.00×')
    const jobs = await scans()
    expect(jobs.slice(0, 12).map(({ threads }) => threads)).toEqual([8, 4, 2, 1, 8, 4, 2, 1, 8, 4, 2, 1])
    expect(jobs[0]).toMatchObject({ state: 'done', result: { records: 3000 } })
  })
})

test('a speed-up that is stopped ends the scan that goes on', async () => {
  await withPage(site, {}, async (page) => {
    // Slowed on its way, as a scan of so few records would be over before the click.
    await page.route('**/api/v1/jobs', async (route) => {
      const body = JSON.parse(route.request().postData() ?? '{}') as object
      await route.continue({ postData: JSON.stringify({ ...body, recordsPerSecond: 1 }) })
    })
    await visit(page, 'shop')
    await page.getByRole('button', { name: 'Measure speed-up' }).press('Enter')
    await page.getByText('scan 1 of 12 · 1 thread').waitFor()
    await expect.poll(async () => (await scans())[0]).toMatchObject({ state: 'running' })
    const stop = page.getByRole('button', { name: 'Stop measuring' })
    expect(await hasFocus(stop)).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByText('Stopped after 0 of 12 scans.').waitFor()
    expect((await scans())[0]).toMatchObject({ state: 'aborted' })
  })
})

test('a plan that the engine cannot follow is told at its field', async () => {
  const { page, heard } = await openPage(site)
  try {
    await visit(page, 'archive')
    await pick(page.getByRole('combobox', { name: 'Plan' }), 'device')
    await page
      .getByText(/goes in the order of slots/)
      .first()
      .waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Run scan' }).isDisabled()).toBe(true)
    expect([...new Set(heard)]).toEqual([expect.stringContaining('status of 400')])
    await page.getByLabel('Limit').fill('')
    await page.locator('strong', { hasText: 'the device, block by block' }).waitFor()
    await page.getByRole('button', { name: 'Run scan' }).click()
    const cost = page.getByRole('region', { name: 'Table: Cost' })
    await cost.getByRole('row', { name: /^plan the device, block by block/ }).waitFor()
    await cost.getByRole('row', { name: /^records scanned 3,000 3,000/ }).waitFor()
    await cost.getByRole('row', { name: /^read whole/ }).waitFor()
    await expect.poll(() => cost.getByRole('row', { name: /^by / }).count()).toBe(4)
  } finally {
    await page.context().close()
  }
})

test('workers, cost and speed-up', async () => {
  await withPage(site, {}, async (page) => {
    await visit(page, 'archive')
    await page.getByLabel('Limit').fill('')
    await page.getByRole('button', { name: 'Run scan' }).click()
    await page.getByRole('region', { name: 'Table: Cost' }).waitFor()
    await page.getByRole('button', { name: 'Measure speed-up' }).click()
    await expect.poll(() => speedUp(page).getByRole('cell', { name: '3', exact: true }).count()).toBe(4)
    await page.evaluate(() => scrollTo(0, 0))
    expect(await examineLooks(page, 'scans-done')).toEqual([])
    await visit(page, 'shop')
    await runSlowly(page, 128)
    await expect.poll(() => workers(page).count()).toBe(128)
    await page.evaluate(() => scrollTo(0, 0))
    expect(await examineLooks(page, 'scans-running')).toEqual([])
    const { id } = (await scans())[0] ?? { id: '' }
    const beside = await page.context().newPage()
    await beside.goto(`${gateway.url}/jobs?id=${id}`)
    const dialog = beside.getByRole('dialog')
    await expect.poll(() => workers(beside).count()).toBe(128)
    await dialog.getByText('started by').waitFor()
    expect(await examineLooks(beside, 'jobs-workers', false)).toEqual([])
    await page.getByRole('button', { name: 'Stop' }).first().click()
    await expect.poll(() => workers(page).count()).toBe(0)
  })
})
