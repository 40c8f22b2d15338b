import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPage } from '../browser/browser.ts'
import { openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'
import { pick } from '../browser/pick.ts'
import { textOf } from '../browser/json-editor.ts'
import { call, createNamespace } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { importRows } from '../gateway/rows.ts'
import { bash } from '../gateway/shell.ts'

// Who stops a run on a page has stopped it; and records without a set are written and found on the pages as any other.

let site: Site
let gateway: Gateway
let page: Page
let heard: string[]

beforeAll(async () => {
  site = await openShop(Array.from({ length: 2000 }, (_, n) => ({ key: `order-${n}`, text: 'x'.repeat(1000) })))
  gateway = site.gateway
  ;({ page, heard } = await openPage(site))
})

afterAll(() => site.close())

const where = (bin: string, value: unknown): string => encodeURIComponent(JSON.stringify({ bin, op: 'eq', value }))

interface Jobs {
  items: { state: string; threads: number }[]
}

describe('on the pages', () => {
  test('a scan that was stopped stays stopped', async () => {
    await page.goto(`${gateway.url}/scans?ns=shop&set=orders`)
    await page.getByLabel('Threads').fill('3')
    await page.getByLabel('Records per second').fill('2')
    await page.getByLabel('Limit').fill('')
    await page.getByRole('button', { name: 'Run scan' }).click()
    await page.getByRole('table', { name: 'Records' }).waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).first().click()
    const scans = async (): Promise<string[]> =>
      (await call<Jobs>(gateway, 'GET', '/api/v1/jobs')).items
        .filter(({ threads }) => threads === 3)
        .map(({ state }) => state)
    await expect.poll(scans).toEqual(['aborted'])
    await page.getByRole('button', { name: 'Run scan' }).waitFor()
  })

  test('figures come instead of records, of those that the metadata lets through', async () => {
    await page.goto(`${gateway.url}/scans?ns=shop&set=orders`)
    await page.getByRole('button', { name: 'Add a figure' }).click()
    await page.getByRole('button', { name: 'Add a figure' }).click()
    await pick(page.getByLabel('Figure', { exact: true }).nth(1), 'histogram')
    await page.getByLabel('Bin or metadata of the figure').nth(1).fill('@size')
    await page.getByLabel('Buckets').fill('0..4000/2')
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByLabel('Bin or metadata', { exact: true }).fill('@generation')
    await page.getByLabel('Value', { exact: true }).fill('1')
    await page.getByRole('button', { name: 'Run scan' }).click()
    await page.getByRole('row', { name: 'count 2,000' }).waitFor()
    await expect
      .poll(() => page.getByRole('region', { name: 'Histogram: histogram size' }).innerText())
      .toMatch(/0 – 2,000\s+2,000/)
  })

  test('a result stays of the namespace that was asked when another is picked', async () => {
    await createNamespace(gateway, { name: 'depot', storage: { engine: 'memory' } })
    await page.goto(`${gateway.url}/scans?ns=shop&set=orders`)
    await page.getByLabel('Limit').fill('1')
    await page.getByRole('button', { name: 'Run scan' }).click()
    const row = page.getByRole('table', { name: 'Records' }).getByRole('button', { name: 'order-' })
    await row.waitFor()
    await pick(page.getByLabel('Namespace', { exact: true }), 'depot')
    await expect.poll(() => page.url()).toContain('ns=depot')
    await row.click()
    const link = page.getByRole('link', { name: 'Open in Records' })
    await expect.poll(() => link.getAttribute('href')).toContain('ns=shop&set=orders&key=order-')
  })

  test('a query by route finds the records of an integer, and names none where the set has no distribution bin', async () => {
    await call(gateway, 'POST', '/api/v1/namespaces/shop/sets', { name: 'visits', distributionBin: 'branch' })
    await importRows(
      gateway,
      'shop',
      'visits',
      Array.from({ length: 300 }, (_, n) => ({ key: `visit-${n}`, branch: n % 3 })),
    )
    await page.goto(`${gateway.url}/query?ns=shop&set=visits&where=${where('branch', 2)}`)
    await page.getByLabel('Route: value of branch').fill('2')
    await page.getByRole('button', { name: 'Run query' }).click()
    await page.getByText('100 records').waitFor()
    await pick(page.getByLabel('Set', { exact: true }), 'orders')
    await page.getByRole('button', { name: 'Run query' }).click()
    await page.getByText('No matching records').waitFor()
    expect(await page.getByText('route_invalid').count()).toBe(0)
  })

  test('the disks of a device namespace are watched, and its map is walked by keys', async () => {
    await createNamespace(gateway, { name: 'ledger', storage: { engine: 'device', capacityBytes: 64 * 1024 * 1024 } })
    const rows = Array.from({ length: 2000 }, (_, n) => ({ key: n, text: 'x'.repeat(1000) }))
    await importRows(gateway, 'ledger', 'orders', rows)
    await page.goto(`${gateway.url}/namespaces/ledger`)
    await page.getByRole('link', { name: 'Device', exact: true }).click()
    const map = page.getByRole('slider', { name: /^Map of data\.tsr; 512 blocks of 128 KiB: / })
    await map.focus()
    const cell = (): Promise<string | null> => map.getAttribute('aria-valuetext')
    await expect.poll(cell).toBe('block 0: header 100%')
    await map.press('ArrowRight')
    await expect.poll(cell).toMatch(/^block 1: live 9\d\.\d+%, dead \d\.\d%$/)
    await map.press('End')
    await expect.poll(cell).toBe('block 511: free 100%')
    await page.getByRole('table', { name: 'Disks' }).getByRole('cell', { name: 'data.tsr' }).waitFor()
    // Written in a second that a frame has told of.
    const written = page.getByRole('button', { name: 'Show Throughput as table' })
    await written.click()
    await page
      .getByRole('region', { name: 'Throughput' })
      .getByRole('cell', { name: / [KM]iB$/ })
      .first()
      .waitFor()
    await page.goto(`${gateway.url}/namespaces/shop/device`)
    await page.getByText('This namespace has no device').waitFor()
    expect(await page.getByRole('link', { name: 'Device', exact: true }).count()).toBe(0)
  })

  test('the pages of a namespace are watched: map, cache, log, and what other sizes would cost', async () => {
    await page.goto(`${gateway.url}/namespaces/new`)
    await page.getByLabel('Name', { exact: true }).fill('vault')
    await page.getByRole('radio', { name: /^paged/ }).check()
    await pick(page.getByLabel('Page size'), '4')
    await page.getByText('1,280 bytes').waitFor()
    await page.getByRole('textbox', { name: 'Cache, MiB' }).fill('8')
    await page.getByRole('button', { name: 'Create namespace' }).click()
    await page.getByText('Namespace vault is ready').waitFor()
    await importRows(
      gateway,
      'vault',
      'orders',
      Array.from({ length: 2000 }, (_, n) => ({ key: n, text: 'x'.repeat(1000) })),
    )
    await page.getByRole('link', { name: 'Storage', exact: true }).click()
    const map = (measure: string) =>
      page.getByRole('slider', { name: new RegExp(`^Page map by ${measure}; [0-9,]+ pages of 4\\.00 KiB: `) })
    await map('fill').focus()
    await map('fill').press('Home')
    await expect.poll(() => map('fill').getAttribute('aria-valuetext')).toMatch(/^pages? 0/)
    await page.getByRole('radio', { name: 'Heat' }).check()
    await map('heat').waitFor()
    await page.getByRole('radio', { name: 'Age' }).check()
    await map('age').waitFor()
    await page.getByRole('button', { name: 'Show Page map as table' }).click()
    await page.getByRole('region', { name: 'Page map' }).getByRole('cell', { name: 'data' }).first().waitFor()
    await page.getByRole('table', { name: 'Cache by kind of page' }).getByRole('cell', { name: 'leaf' }).waitFor()
    await page.getByRole('button', { name: 'Show Log and checkpoints as table' }).click()
    await page
      .getByRole('region', { name: 'Log and checkpoints' })
      .getByRole('cell', { name: '512 MiB' })
      .first()
      .waitFor()
    await page.getByRole('heading', { name: 'Other page sizes' }).waitFor()
    // The charts go back to before the page was opened.
    await page.reload()
    await page.getByRole('button', { name: 'Show Page and log traffic as table' }).click()
    await page
      .getByRole('region', { name: 'Page and log traffic' })
      .getByRole('cell', { name: /[KM]iB/ })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Compact' }).click()
    await page.getByRole('dialog').getByRole('heading', { name: 'Compact vault' }).waitFor()
    await page.goto(`${gateway.url}/namespaces/shop/storage`)
    await page.getByText('This namespace has no pages').waitFor()
    expect(await page.getByRole('link', { name: 'Storage', exact: true }).count()).toBe(0)
  })

  test('a record without a set is created, listed and opened', async () => {
    await page.goto(`${gateway.url}/records?ns=shop&create=true`)
    await page.getByRole('dialog').getByLabel('Set', { exact: true }).selectOption({ label: 'without a set' })
    await page.getByLabel('Key', { exact: true }).fill('settings')
    await page.getByLabel('Name of bin 1').fill('theme')
    await page.getByLabel('Value of theme').fill('dark')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('dialog').getByText('without a set').waitFor()
    expect(await call(gateway, 'GET', '/api/v1/namespaces/shop/records/settings')).toMatchObject({
      set: '',
      bins: { theme: 'dark' },
    })
    await page.goto(`${gateway.url}/records?ns=shop&set=`)
    await page.getByRole('heading', { name: 'Records without a set' }).waitFor()
    await page.getByRole('button', { name: 'settings', exact: true }).click()
    await page.getByLabel('Value of theme').waitFor()
    expect(heard).toEqual([])
  })

  test('an edit with a fault in it is kept when the other view is asked for', async () => {
    await page.goto(`${gateway.url}/records?ns=shop&create=true`)
    const views = page.getByRole('radiogroup', { name: 'Edit as' })
    const json = page.getByLabel('Bins as JSON')
    const refusal = page.getByRole('alert').filter({ hasText: 'your change would be lost' })
    await views.getByText('JSON').click()
    expect(await textOf(json)).toBe('{}')
    await json.fill('{"size": 4')
    await views.getByText('form').click()
    await refusal.waitFor()
    expect(await textOf(json)).toBe('{"size": 4')
    await json.fill('{"size": 4}')
    await views.getByText('form').click()
    await page.getByLabel('Value of size').fill('four')
    await views.getByText('JSON').click()
    await refusal.waitFor()
    await expect.poll(() => page.getByLabel('Value of size').inputValue()).toBe('four')
    await page.getByLabel('Value of size').fill('5')
    await views.getByText('JSON').click()
    await expect.poll(() => textOf(json)).toBe('{\n  "size": 5\n}')
  })

  test('a save that is copied as curl is the save that was made, its condition included', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await importRows(gateway, 'shop', 'desk', [{ key: 'lamp', on: 'yes' }])
    await page.goto(`${gateway.url}/records?ns=shop&set=desk&key=lamp`)
    await page.getByLabel('Value of on').fill('no')
    await page.getByText('The exact call').click()
    const shown = await page.getByRole('dialog').getByLabel('The same call with curl').textContent()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Record saved').waitFor()
    // The form begins anew with what is stored now, so the dialog gets another height.
    await page.getByLabel('The same call with curl').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Close', exact: true }).last().click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    const calls = page.getByRole('contentinfo', { name: 'API calls of this page' })
    await calls.locator('summary').click()
    await calls.getByRole('listitem').filter({ hasText: 'PUT' }).getByRole('button').click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toBe(shown)
    expect(copied).toContain('ttlSeconds=-2')
    const { stdout } = await bash(copied, { cwd: gateway.home })
    expect(JSON.parse(stdout)).toMatchObject({ status: 412 })
  })

  test('an import that is copied as curl sends its file', async () => {
    const name = 'my stock.ndjson'
    writeFileSync(join(gateway.home, name), '{"key":"a"}\n{"key":"b"}\n')
    await page.goto(`${gateway.url}/import?ns=shop`)
    await page.getByLabel('File to import').setInputFiles(join(gateway.home, name))
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('link', { name: 'Show the records' }).waitFor()
    const calls = page.getByRole('contentinfo', { name: 'API calls of this page' })
    await calls.locator('summary').click()
    await calls.getByRole('listitem').filter({ hasText: '/import?' }).getByRole('button').click()
    const { stdout } = await bash(await page.evaluate(() => navigator.clipboard.readText()), { cwd: gateway.home })
    expect(JSON.parse(stdout)).toMatchObject({ rows: 2, updated: 2 })
  })

  test('records of a namespace that is not there are a problem, not a wait', async () => {
    await page.goto(`${gateway.url}/records?ns=absent`)
    await page.getByText('namespace_not_found').waitFor()
    expect(await page.locator('[aria-busy=true]').count()).toBe(0)
  })

  test('a chart shown as a table stays one when the window changes', async () => {
    await page.goto(`${gateway.url}/live`)
    await page.getByRole('button', { name: 'Show Latency as table' }).click()
    await page.getByRole('radiogroup', { name: 'Range' }).getByText('1 h').click()
    await expect.poll(() => page.url()).toContain('window=1h')
    await page.locator('.chart-table').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Show Latency as chart' }).count()).toBe(1)
  })

  test('the overview does not call a gateway healthy that is gone', async () => {
    // How fast this machine reads is not asked here.
    await call(gateway, 'DELETE', '/api/v1/alerts/rules/reads-within-1-ms')
    await page.goto(gateway.url)
    const health = page.getByRole('region', { name: 'Health' })
    await expect.poll(() => health.textContent()).toContain('Healthy')
    await gateway.stop()
    await expect.poll(() => health.textContent()).toContain('The gateway does not answer')
  })
})
