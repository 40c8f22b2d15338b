import { afterAll, beforeAll, expect, test } from 'vitest'
import { artifact, examineLooks, openPage, withPage } from '../browser/browser.ts'
import { openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'
import { pick } from '../browser/pick.ts'
import { call, type Job } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'

let site: Site
let gateway: Gateway

beforeAll(async () => {
  site = await openShop(orders())
  gateway = site.gateway
})

afterAll(() => site.close())

function* orders(): Generator<unknown> {
  for (let n = 0; n < 2000; n += 1) yield { key: `order-${n}`, n }
}

test('a throttled scan shows its rows while it runs', async () => {
  await withPage(site, {}, async (page) => {
    await page.goto(`${gateway.url}/scans?ns=shop&set=orders`)
    await page.getByLabel('Records per second').fill('2')
    await page.getByLabel('Limit').fill('')
    await page.getByRole('button', { name: 'Run scan' }).click()
    // All 2000 rows fit in one chunk: a row that is there before the scan has ended was not kept back for it.
    await page
      .getByText(/order-\d+/)
      .first()
      .waitFor()
    const { items } = await call<{ items: Job[] }>(gateway, 'GET', '/api/v1/jobs?kind=scan')
    expect(items[0]).toMatchObject({ state: 'running', who: 'console' })
    await page.getByRole('button', { name: 'Stop' }).first().click()
    await expect
      .poll(async () => (await call<Job>(gateway, 'GET', `/api/v1/jobs/${items[0]?.id ?? ''}`)).state)
      .toBe('aborted')
  })
})

test('a count is started on the page of jobs', async () => {
  await withPage(site, {}, async (page) => {
    await page.goto(`${gateway.url}/jobs`)
    await page.getByRole('button', { name: 'Count records' }).click()
    const dialog = page.getByRole('dialog')
    await pick(dialog.getByLabel('Set', { exact: true }), 'orders')
    await dialog.getByLabel('Filter as JSON').fill('{"bin":"n","op":"lt","value":7}')
    expect(await examineLooks(page, 'jobs-count', false)).toEqual([])
    await dialog.getByRole('button', { name: 'Count', exact: true }).click()
    await page.getByLabel('Result').getByText('"records": 7').waitFor()
    await page.screenshot({ path: artifact('jobs-counted') })
  })
})

test('a job that ran while no console was open has a chart of its rate', async () => {
  const asked = { kind: 'scan', namespace: 'shop', threads: 1, recordsPerSecond: 500 }
  const { id } = await call<Job>(gateway, 'POST', '/api/v1/jobs?wait=60s', asked)
  await withPage(site, {}, async (page) => {
    await page.goto(`${gateway.url}/jobs?id=${id}`)
    const chart = page.getByRole('dialog').getByRole('region', { name: 'Rate', exact: true })
    await chart.getByRole('button', { name: 'Show Rate as table' }).click()
    // 2000 records at 500 a second take four or more: a point for most of them, and the end.
    await expect.poll(() => chart.getByRole('row').count()).toBeGreaterThan(3)
    await page.screenshot({ path: artifact('jobs-rate-afterwards') })
  })
})

test('a running job leaves the bar its one line, can be seen with high contrast, and a narrow form has its words', async () => {
  const asked = { kind: 'scan', namespace: 'shop', threads: 1, recordsPerSecond: 1 }
  const { id } = await call<Job>(gateway, 'POST', '/api/v1/jobs', asked)
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    for (const path of ['/live', '/jobs', '/slow']) {
      await page.goto(gateway.url + path)
      await page.locator('.global a.chip', { hasText: '%' }).waitFor()
      const [title, chip] = [page.locator('.pagebar h1'), page.locator('.global .chip').first()]
      expect((await chip.boundingBox())?.y, path).toBeLessThan(
        ((await title.boundingBox())?.y ?? 0) + ((await title.boundingBox())?.height ?? 0),
      )
    }
  })
  const { page: own } = await openPage(site)
  await own.emulateMedia({ forcedColors: 'active' })
  await own.goto(`${gateway.url}/jobs`)
  const colourOf = (selector: string, property: 'backgroundColor' | 'outlineStyle'): Promise<string> =>
    own
      .locator(selector)
      .first()
      .evaluate((element, name) => getComputedStyle(element)[name], property)
  await own.locator('main .progress > i').first().waitFor({ state: 'attached' })
  expect(await colourOf('main .progress > i', 'backgroundColor')).not.toBe(
    await colourOf('main .progress', 'backgroundColor'),
  )
  expect(await colourOf('.nav [aria-current=page]', 'outlineStyle')).toBe('solid')
  await own.goto(`${gateway.url}/live`)
  const [pressed, other] = ['.seg label:has(:checked)', '.seg label:not(:has(:checked))']
  expect(await colourOf(pressed, 'backgroundColor')).not.toBe(await colourOf(other, 'backgroundColor'))
  await own.context().close()
  await withPage(site, { viewport: { width: 390, height: 900 } }, async (page) => {
    await page.goto(`${gateway.url}/query?ns=shop&set=orders`)
    const cut = await page.getByLabel('Direction of the order').evaluate((select: HTMLSelectElement) => {
      const shown = select.offsetWidth
      select.style.width = 'max-content'
      return select.offsetWidth - shown
    })
    expect(cut).toBeLessThanOrEqual(0)
  })
  await call(gateway, 'DELETE', `/api/v1/jobs/${id}`)
})
