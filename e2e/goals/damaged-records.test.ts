import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examine, openPage } from '../browser/browser.ts'
import { addressOf } from '../browser/shop.ts'
import { openSite, type Site } from '../browser/site.ts'
import { createNamespace } from '../gateway/client.ts'
import { newHome, startGateway } from '../gateway/gateway.ts'
import { importRows } from '../gateway/rows.ts'

// One byte on a device has rotted: the pages show every other record, and say which one is missing.

const home = newHome()
const file = join(home, 'data/namespaces/1/data.tsr')
let site: Site
let page: Page
let heard: string[]

beforeAll(async () => {
  const gateway = await startGateway(home)
  await createNamespace(gateway, { name: 'ledger', storage: { engine: 'device' } })
  const rows = Array.from({ length: 24 }, (_, n) => ({ key: `row-${n}`, text: `mark-${n}-${'x'.repeat(40)}` }))
  await importRows(gateway, 'ledger', 'rows', rows)
  await gateway.stop()
  const bytes = readFileSync(file)
  const at = bytes.indexOf(`mark-13-${'x'.repeat(40)}`)
  bytes.writeUInt8(bytes.readUInt8(at + 20) ^ 1, at + 20)
  writeFileSync(file, bytes)
  site = await openSite(home)
  // So high that the tables draw all rows.
  ;({ page, heard } = await openPage(site, { viewport: { width: 1280, height: 1800 } }))
})

afterAll(() => site.close())

test('the records page shows the others', async () => {
  await page.goto(`${site.gateway.url}/records?ns=ledger&set=rows`)
  await page.getByText('24 records', { exact: true }).waitFor()
  await page.getByText('damaged', { exact: true }).waitFor()
  expect(await examine(page, 'damaged-record-page')).toEqual([])
})

test.each([
  ['records', []],
  ['rows', [{ map: ['text'] }]],
])('a stream of %s has it in its place', async (_, steps) => {
  await page.goto(addressOf(site, 'streams', { set: 'rows', steps }, 'ledger'))
  await page.getByRole('button', { name: 'Run stream' }).click()
  await page.getByText('1 damaged record left out').waitFor()
  const rows = page.getByRole('table', { name: /^(Records|Rows)$/ }).getByRole('row')
  await expect.poll(() => rows.filter({ hasText: /^\d+damaged$/ }).count()).toBe(1)
  await expect.poll(() => rows.filter({ hasText: 'mark-' }).count()).toBe(23)
})

test('a scan says what it left out, and its job names it', async () => {
  await page.goto(`${site.gateway.url}/scans?ns=ledger&set=rows`)
  await page.getByLabel('Limit').fill('')
  await page.getByRole('button', { name: 'Run scan' }).click()
  await page.getByText('1 damaged record left out').waitFor()
  expect(await examine(page, 'damaged-record-scan')).toEqual([])
  await page.goto(`${site.gateway.url}/jobs`)
  await page
    .getByRole('button', { name: /^Scan ledger/ })
    .first()
    .click()
  const list = page.getByRole('list', { name: 'Damaged records' })
  await list.getByRole('listitem').waitFor()
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1)
  expect(heard).toEqual([])
})
