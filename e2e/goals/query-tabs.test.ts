import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineLooks, openPage, withPage } from '../browser/browser.ts'
import { addressOf, openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'
import { textOf } from '../browser/json-editor.ts'
import { call } from '../gateway/client.ts'

// Several queries side by side: each keeps its text, its form and its result, and the browser keeps them all.

let site: Site
let page: Page
let heard: string[]

beforeAll(async () => {
  site = await openShop(Array.from({ length: 50 }, (_, n) => ({ key: `order-${n}`, total: n })))
  ;({ page, heard } = await openPage(site))
  await page.goto(`${site.gateway.url}/query?ns=shop`)
})

afterAll(() => site.close())

const requestBelow = (value: number) => ({ set: 'orders', where: { bin: 'total', op: 'lt', value }, limit: 100 })
const below = (value: number): string => JSON.stringify(requestBelow(value))
const tabs = (at = page) => at.getByRole('tab').evaluateAll((all) => all.map(({ textContent }) => textContent))
const shown = (at = page) => at.getByRole('tabpanel')
const address = () => decodeURIComponent(page.url()).replaceAll('\\', '')
const json = (at = page) => shown(at).getByLabel('Request as JSON')

test('keys open, choose and close', async () => {
  await json().fill(below(3))
  await expect.poll(tabs).toEqual(['total < 3'])
  await shown().getByRole('button', { name: 'Run query' }).click()
  await shown().getByText('3 records').waitFor()

  await page.keyboard.press('Alt+n')
  await expect.poll(tabs).toEqual(['total < 3', 'New query'])
  await shown().getByText('Nothing run yet').waitFor()
  await json().fill(below(7))
  await expect.poll(address).toContain('"value":7')

  await page.keyboard.press('Alt+PageUp')
  await shown().getByRole('table', { name: 'Records' }).getByRole('button', { name: 'order-2' }).waitFor()
  await expect.poll(address).toContain('"value":3')
  await page.keyboard.press('Alt+PageUp')
  await expect.poll(() => textOf(json())).toMatch(/"value": ?7/)

  await page.keyboard.press('Alt+w')
  await expect.poll(tabs).toEqual(['total < 3'])
  await page.keyboard.press('Alt+Shift+n')
  await expect.poll(tabs).toEqual(['total < 3', 'total < 7'])

  await page.getByRole('tab', { name: 'total < 7' }).focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => page.getByRole('tab', { name: 'total < 3' }).getAttribute('aria-selected')).toBe('true')
  await page.keyboard.press('Delete')
  await expect.poll(tabs).toEqual(['total < 7'])
  await page.getByRole('button', { name: 'Reopen' }).click()
  await expect.poll(tabs).toEqual(['total < 7', 'total < 3'])
})

test('a form that says nothing yet stays as it is while another is shown', async () => {
  await page.getByRole('tab', { name: 'total < 7' }).click()
  await shown().getByRole('button', { name: 'Add a column' }).click()
  await shown().getByLabel('Path of this column').fill('a.b')
  await shown().getByText('Enter a bin').waitFor()
  await page.getByRole('tab', { name: 'total < 3' }).click()
  await expect.poll(() => shown().getByText('Enter a bin').count()).toBe(0)
  await page.getByRole('tab', { name: 'total < 7' }).click()
  await shown().getByText('Enter a bin').waitFor()
  await expect.poll(() => shown().getByLabel('Path of this column').inputValue()).toBe('a.b')
})

test('drafts survive a reload at any letter, and are the same in another window', async () => {
  await json().fill('{"set": "orders", "where"')
  await page.reload()
  await expect.poll(() => textOf(json())).toBe('{"set": "orders", "where"')
  await expect.poll(tabs).toEqual(['{"set": "orders", "where"', 'total < 3'])
  await json().fill(below(7))

  const other = await page.context().newPage()
  await other.goto(`${site.gateway.url}/query`)
  await expect.poll(() => tabs(other)).toEqual(['total < 7', 'total < 3'])
  await json(other).fill(below(8))
  await expect.poll(tabs).toEqual(['total < 8', 'total < 3'])
  await expect.poll(() => textOf(json())).toMatch(/"value": ?8/)
  await other.close()
})

test('an address opens a tab of its own once, and in another browser too', async () => {
  const link = addressOf(site, 'query', requestBelow(20))
  await page.goto(link)
  await expect.poll(tabs).toEqual(['total < 8', 'total < 20', 'total < 3'])
  await page.goto(link)
  await expect.poll(tabs).toHaveLength(3)
  await withPage(site, {}, async (own) => {
    await own.goto(link)
    // The open queries of the person are there too.
    await expect.poll(() => tabs(own)).toEqual(['total < 8', 'total < 20', 'total < 3'])
    await expect.poll(() => own.getByRole('tab', { selected: true }).textContent()).toBe('total < 20')
    await own.getByRole('button', { name: 'Run query' }).click()
    await own.getByText('20 records').waitFor()
  })
})

test('a saved query gives its tab its name, and is opened once', async () => {
  await shown().getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('the small ones')
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(tabs).toEqual(['total < 8', 'the small ones', 'total < 3'])
  await page.getByRole('tab', { name: 'total < 3' }).click()
  const drawer = shown().getByRole('button', { name: 'Saved and history' })
  await drawer.click()
  await page.getByRole('button', { name: 'the small ones', exact: true }).click()
  await expect.poll(() => page.getByRole('tab', { selected: true }).textContent()).toBe('the small ones')
  expect(await tabs()).toHaveLength(3)

  await drawer.click()
  await page.getByRole('button', { name: 'Remove the small ones' }).click()
  await page.getByText('No saved queries').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(tabs).toEqual(['total < 8', 'total < 20', 'total < 3'])
})

test('an export and an analysis end with their tab', async () => {
  // Held until somebody breaks them off.
  const hold = (): void => undefined
  await page.route('**/query', hold)
  for (const button of ['CSV', 'Analyze']) {
    await page.getByRole('button', { name: 'New query' }).click()
    const asked = page.waitForRequest((request) =>
      button === 'CSV' ? request.headers()['accept'] === 'text/csv' : request.postData()?.includes('analyze') === true,
    )
    await shown().getByRole('button', { name: button, exact: true }).click()
    const request = await asked
    const ended = page.waitForEvent('requestfailed', (failed) => failed === request)
    await page.keyboard.press('Alt+w')
    await ended
  }
  await page.unroute('**/query', hold)
  await expect.poll(tabs).toEqual(['total < 8', 'total < 20', 'total < 3'])
})

test('no page complained', async () => {
  // All is sent, so that a page of its own begins with nothing that comes later.
  const open = async () => (await call<{ items: unknown[] }>(site.gateway, 'GET', '/api/v1/queries/open')).items.length
  await expect.poll(open).toBe(3)
  await page.close()
  expect(heard).toEqual([])
})

test('many tabs are looked at', async () => {
  await call(site.gateway, 'PUT', '/api/v1/queries/open', { items: [] })
  await withPage(site, {}, async (own) => {
    await own.goto(`${site.gateway.url}/query?ns=shop`)
    for (let n = 1; n <= 9; n += 1) {
      await json(own).fill(below(n * 1000))
      await own.keyboard.press('Alt+n')
    }
    await expect.poll(() => tabs(own)).toHaveLength(10)
    await own.keyboard.press('Alt+PageUp')
    await shown(own).getByText('candidates ·').waitFor()
    await expect.poll(() => own.locator('[aria-busy=true]').count()).toBe(0)
    expect(await examineLooks(own, 'query-tabs')).toEqual([])
  })
})
