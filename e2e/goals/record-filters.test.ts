import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineLooks, openPage, withPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { call, createNamespace, finish, type Job } from '../gateway/client.ts'
import { importRows } from '../gateway/rows.ts'

// A reader finds records by their values in the list of the set: the filter says what it costs, and is in the address.

let site: Site
let page: Page
let heard: string[]

beforeAll(async () => {
  site = await openSite()
  await createNamespace(site.gateway, { name: 'shop', storage: { engine: 'memory' } })
  const rows = Array.from({ length: 1500 }, (_, n) => ({
    key: `order-${n}`,
    total: n,
    state: n % 3 === 0 ? 'open' : 'paid',
    detail: { lines: [{ sku: `S${n % 50}` }] },
  }))
  await importRows(site.gateway, 'shop', 'orders', rows)
  const spec = { name: 'by_total', set: 'orders', bin: 'total', kind: 'range', threads: 2 }
  await finish(site.gateway, await call<Job>(site.gateway, 'POST', '/api/v1/namespaces/shop/indexes', spec))
  ;({ page, heard } = await openPage(site))
})

afterAll(() => site.close())

const list = (): string => `${site.gateway.url}/records?ns=shop&set=orders`

/** Adds a test by keyboard alone. */
async function addFilter(bin: string, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter')
  await page.getByLabel('Bin or metadata').fill(bin)
  await page.getByLabel('Value', { exact: true }).fill(value)
  await page.getByLabel('Value', { exact: true }).press('Enter')
}

test('a filter without an index says what it scans, one with an index names it, and both are in the address', async () => {
  await page.goto(list())
  await addFilter('state', 'open')
  await page.getByText('500 of about 1,500 records').waitFor()
  await page.getByText(/No index helps. Scans 1,500 records/).waitFor()
  await addFilter('total', '42')
  await page.getByText('1 of about 1,500 records').waitFor()
  await page.getByText('uses index by_total').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'order-42', exact: true }).waitFor()
  await page.getByRole('button', { name: 'state is open', exact: true }).press('Delete')
  await expect.poll(() => page.getByRole('button', { name: 'state is open', exact: true }).count()).toBe(0)
  expect(heard).toEqual([])
})

test('the list is in the order of a bin, and a bin of maps says that it has none', async () => {
  await page.goto(list())
  await page.getByRole('columnheader', { name: /total/ }).getByRole('button').click()
  await page.getByRole('button', { name: 'order-1499', exact: true }).waitFor()
  // So few records are read faster than they are looked up in the order of an index.
  await page.getByText(/A scan costs less than the index by_total. Scans 1,500 records/).waitFor()
  const detail = page.getByRole('columnheader', { name: /detail/ }).getByRole('button')
  await expect.poll(() => detail.getAttribute('aria-disabled')).toBe('true')
  expect(heard).toEqual([])
})

test('Home, End and the page keys go over all rows that were read, and a list begins at a key', async () => {
  await page.goto(list())
  await page.getByText('the first 460 of about 1,500 records').waitFor()
  const place = async (): Promise<number> =>
    Number(await page.evaluate(() => document.activeElement?.closest('tr')?.getAttribute('aria-rowindex')))
  await page.getByRole('region', { name: 'Table: Records of orders' }).press('ArrowDown')
  expect(await place()).toBe(2)
  await page.keyboard.press('PageDown')
  await expect.poll(place).toBeGreaterThan(10)
  await page.keyboard.press('PageUp')
  await expect.poll(place).toBe(2)
  await page.keyboard.press('End')
  await expect.poll(place).toBeGreaterThan(440)
  await page.keyboard.press('Home')
  await expect.poll(place).toBe(2)
  const field = page.getByLabel('Open a key or find a value')
  await field.fill('order-700')
  await page.getByRole('button', { name: 'List from here' }).click()
  await page.getByText('from the key order-700 on').waitFor()
  await page.reload()
  await page.getByText(/from there on, of about 1,500 records/).waitFor()
  const first = page.locator('tbody > tr[aria-rowindex="2"] button.link')
  await first.waitFor()
  await expect.poll(() => first.textContent()).toBe('order-700')
  await page.getByRole('button', { name: 'List from the first record' }).click()
  await page.getByText(/the first .* of about 1,500 records/).waitFor()
  expect(heard).toEqual([])
})

test('a text opens its record, and a value that is no key is searched in the bins', async () => {
  await page.goto(list())
  const field = page.getByLabel('Open a key or find a value')
  await field.fill('order-7')
  await field.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.goto(list())
  await field.fill('paid')
  await field.press('Enter')
  await page.getByRole('button', { name: 'Search the bins for this value' }).click()
  await page
    .getByText(/searched for paid|state is paid/)
    .first()
    .waitFor()
  // The browser reports each key that was looked for in vain.
  expect(heard.splice(0).filter((text) => !text.includes('404'))).toEqual([])
})

test('all that match are deleted after their number is typed, and the others stay', async () => {
  await page.goto(list())
  await addFilter('state', 'open')
  await page.getByText('500 of about 1,500 records').waitFor()
  await page.getByRole('checkbox', { name: 'Select all rows that are loaded' }).check()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByLabel(/to confirm/).fill('500')
  await page.getByRole('button', { name: 'Delete 500 records' }).click()
  await page.getByText(/500 records deleted/).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click()
  const left = async () =>
    (await call<{ items: { records: number }[] }>(site.gateway, 'GET', '/api/v1/namespaces/shop/sets')).items
  await expect.poll(async () => (await left()).map(({ records }) => records)).toEqual([1000])
  await page.getByText('No matching records').waitFor()
})

test('a filtered list is accessible', async () => {
  await withPage(site, {}, async (own) => {
    await own.goto(`${list()}&order=-total&where=${encodeURIComponent('{"bin":"state","op":"eq","value":"paid"}')}`)
    await own.getByText('state is paid').waitFor()
    await expect.poll(() => own.locator('[aria-busy=true]').count()).toBe(0)
    expect(await examineLooks(own, 'record-filters')).toEqual([])
  })
})
