import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineLooks, withPage } from '../browser/browser.ts'
import { openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'
import { pick } from '../browser/pick.ts'
import { call } from '../gateway/client.ts'

// A namespace goes from memory to pages in the console: begun, looked at, cut over, rolled back, cut over again, finished.

const RECORDS = 2000

let site: Site

beforeAll(async () => {
  function* rows() {
    for (let n = 0; n < RECORDS; n += 1) yield { key: n, n }
  }
  site = await openShop(rows())
})

afterAll(() => site.close())

const shop = () =>
  call<{ records: number; config: { storage: { engine: string } }; migration?: object }>(
    site.gateway,
    'GET',
    '/api/v1/namespaces/shop',
  )

test('a migration begins with what was changed in the form', async () => {
  await withPage(site, {}, async (page) => {
    await page.goto(`${site.gateway.url}/namespaces/shop/migrate`)
    await page.getByRole('radio', { name: /^paged/ }).check()
    await pick(page.getByLabel('Page size'), '64 KiB')
    await page.getByRole('button', { name: 'Migrate', exact: true }).click()
    await page.getByRole('button', { name: 'Cut over' }).waitFor()
    await page.getByRole('row', { name: /^page size – 64.0 KiB/ }).waitFor()
  })
  expect(await shop()).toMatchObject({ migration: { phase: 'doubled', cutOver: false } })
})

test('a migration is looked at', async () => {
  await withPage(site, {}, async (page) => {
    await page.goto(`${site.gateway.url}/namespaces/shop/migrate`)
    await page.getByRole('button', { name: 'Cut over' }).waitFor()
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
    expect(await examineLooks(page, 'migrate')).toEqual([])
  })
})

test('it is cut over, rolled back, cut over again and finished', async () => {
  await withPage(site, {}, async (page) => {
    await page.goto(`${site.gateway.url}/namespaces/shop/migrate`)
    await page.getByRole('button', { name: 'Cut over' }).click()
    await page.getByRole('button', { name: 'Roll back' }).click()
    await page.getByRole('button', { name: 'Cut over' }).click()
    await page.getByRole('button', { name: 'Finish…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('shop')
    await dialog.getByRole('button', { name: 'Finish' }).click()
    await page.getByRole('button', { name: 'Migrate', exact: true }).waitFor()
  })
  const done = await shop()
  expect(done).toMatchObject({ records: RECORDS, config: { storage: { engine: 'paged', pageBytes: 65_536 } } })
  expect(done).not.toHaveProperty('migration')
})
