import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineLooks, withPage } from '../browser/browser.ts'
import { openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'
import { call } from '../gateway/client.ts'

// A namespace is backed up in the console: whole, then what changed. Both are verified, looked at, restored and deleted.

const RECORDS = 2000
/** A window in which the list has room for all its columns. */
const wide = { viewport: { width: 1600, height: 900 } }

interface Backup {
  id: string
  state: string
  base?: string
}

let site: Site

beforeAll(async () => {
  function* rows() {
    for (let n = 0; n < RECORDS; n += 1) yield { key: n, n }
  }
  site = await openShop(rows())
})

afterAll(() => site.close())

const backups = async () => (await call<{ items: Backup[] }>(site.gateway, 'GET', '/api/v1/backups')).items

const open = (page: Page) => page.goto(`${site.gateway.url}/backups?ns=shop`)

const dialogOf = (page: Page) => page.getByRole('dialog')

test('a namespace without a backup is backed up, and a second backup has what changed', async () => {
  await withPage(site, wide, async (page) => {
    await open(page)
    await page.getByText('No backups of shop').waitFor()
    await page.getByRole('button', { name: 'Back up now' }).click()
    await dialogOf(page).getByRole('button', { name: 'Back up', exact: true }).click()
    const row = page.getByRole('row', { name: /complete.*full.*2,000/ })
    await row.waitFor()
    await call(site.gateway, 'PUT', '/api/v1/namespaces/shop/sets/orders/records/one-more', { bins: { n: 1 } })
    await page.getByRole('button', { name: 'Back up now' }).click()
    const [full] = await backups()
    await dialogOf(page)
      .getByLabel('Backup')
      .selectOption(full?.id ?? '')
    await dialogOf(page).getByRole('button', { name: 'Back up', exact: true }).click()
    await page.getByRole('row', { name: /complete.*on [0-9a-f]{8}.*2,001/ }).waitFor()
  })
  const [full, next] = await backups()
  expect(next).toMatchObject({ state: 'complete', base: full?.id })
})

test('it is verified, and backed up by schedule', async () => {
  const [full, next] = await backups()
  await withPage(site, {}, async (page) => {
    await open(page)
    await page.getByRole('button', { name: `Verify ${next?.id}` }).click()
    await page.getByText(`Verify the backup ${next?.id}`, { exact: true }).waitFor()
    await page.getByText('done', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Set a schedule' }).click()
    await dialogOf(page).getByLabel('Every, hours').fill('168')
    await dialogOf(page).getByRole('button', { name: 'Set schedule' }).click()
    await page.getByRole('row', { name: /every Monday at 02:00 UTC.*not yet/ }).waitFor()
    await page.getByRole('button', { name: `Delete ${full?.id}` }).click()
    await dialogOf(page).getByText('1 backup builds on').waitFor()
  })
  expect(await call(site.gateway, 'GET', '/api/v1/namespaces/shop/backup-schedule')).toMatchObject({ everyHours: 168 })
})

test('backups and a restore are looked at', async () => {
  const [, next] = await backups()
  await withPage(site, {}, async (page) => {
    await open(page)
    await page.getByRole('row', { name: /every Monday/ }).waitFor()
    await page.getByRole('button', { name: `Restore ${next?.id}` }).waitFor()
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
    expect(await examineLooks(page, 'backups')).toEqual([])
    await page.getByRole('button', { name: `Restore ${next?.id}` }).click()
    await dialogOf(page).getByLabel('Storage').selectOption('otherwise')
    await dialogOf(page)
      .getByRole('radio', { name: /^paged/ })
      .waitFor()
    expect(await examineLooks(page, 'backups-restore', false)).toEqual([])
  })
})

test('it is restored into a new namespace of another engine', async () => {
  const [, next] = await backups()
  await withPage(site, {}, async (page) => {
    await open(page)
    await page.getByRole('button', { name: `Restore ${next?.id}` }).click()
    await dialogOf(page).getByLabel('Name', { exact: true }).fill('shop2')
    await dialogOf(page).getByLabel('Storage').selectOption('otherwise')
    await dialogOf(page)
      .getByRole('radio', { name: /^device/ })
      .check()
    await dialogOf(page).getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText(/^Restore .*shop2/).waitFor()
    await page.getByText('done', { exact: true }).first().waitFor()
  })
  const restored = await call(site.gateway, 'GET', '/api/v1/namespaces/shop2')
  expect(restored).toMatchObject({ records: RECORDS + 1, config: { storage: { engine: 'device' } } })
})

test('both are deleted, the newer one first', async () => {
  await withPage(site, {}, async (page) => {
    await open(page)
    for (const { id } of (await backups()).toReversed()) {
      await page.getByRole('button', { name: `Delete ${id}` }).click()
      await dialogOf(page).getByRole('textbox').fill(id)
      await dialogOf(page).getByRole('button', { name: 'Delete backup' }).click()
      await page.getByRole('row', { name: new RegExp(id) }).waitFor({ state: 'detached' })
    }
    await page.getByText('No backups of shop').waitFor()
  })
  expect(await backups()).toEqual([])
})
