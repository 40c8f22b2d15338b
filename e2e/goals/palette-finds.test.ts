import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examine, openPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { call, createNamespace, finish, type Job } from '../gateway/client.ts'
import { importRows } from '../gateway/rows.ts'

// The palette leads to what is in the server: sets, records, indexes, jobs and saved queries.

let site: Site
let page: Page
let heard: string[]

beforeAll(async () => {
  site = await openSite()
  const { gateway } = site
  await createNamespace(gateway, { name: 'shop', storage: { engine: 'memory' } })
  await importRows(gateway, 'shop', 'orders', [
    { key: 'order-1', total: 1 },
    { key: 'order-2', total: 2 },
  ])
  const spec = { name: 'by_total', set: 'orders', bin: 'total', kind: 'range', threads: 2 }
  await finish(gateway, await call<Job>(gateway, 'POST', '/api/v1/namespaces/shop/indexes', spec))
  await call(gateway, 'POST', '/api/v1/queries', { name: 'late orders', namespace: 'shop', request: '{"limit":5}' })
  ;({ page, heard } = await openPage(site))
})

afterAll(() => site.close())

test.each([
  ['orders', /^orders.*shop/, /\/records\?.*set=orders/],
  ['order-2', /^Open record order-2/, /\/records\?.*key=order-2/],
  ['by_total', /^by_total/, /\/indexes\/shop\/by_total/],
  ['late ord', /^late orders/, /\/query\?.*saved=/],
  ['build index', /^Build index by_total/, /\/jobs\?.*id=/],
])('%s is found, and leads to its page', async (typed, name, address) => {
  await page.goto(site.gateway.url)
  // The heading is there before the scripts that answer keys.
  await page.getByRole('button', { name: 'Search commands' }).waitFor()
  await page.keyboard.press('Control+K')
  await page.getByLabel('Command', { exact: true }).fill(typed)
  const found = page.getByRole('option', { name })
  await found.first().waitFor()
  expect(await examine(page, `palette-${typed.replace(' ', '-')}`, false)).toEqual([])
  await found.first().click()
  await page.waitForURL(address)
  expect(heard.splice(0)).toEqual([])
})
