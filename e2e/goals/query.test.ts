import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examineLooks, openPage, withPage } from '../browser/browser.ts'
import { addressOf, openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'
import { pick } from '../browser/pick.ts'
import { textOf } from '../browser/json-editor.ts'
import { call } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { importRows } from '../gateway/rows.ts'

// The workbench: a request as form and as JSON, its result in every view, kept and shared. Its numbers have 64 bits.

const BIG = '9007199254740993'

let site: Site
let gateway: Gateway
let page: Page
let heard: string[]

beforeAll(async () => {
  const orders = Array.from({ length: 200 }, (_, n) => ({
    key: `order-${n}`,
    total: n,
    detail: { lines: [{ sku: `S${n}` }] },
  }))
  site = await openShop(orders)
  gateway = site.gateway
  ;({ page, heard } = await openPage(site))
  const put = await fetch(`${gateway.url}/api/v1/namespaces/shop/sets/orders/records/big`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    body: `{"total":${BIG},"detail":{"id":${BIG}}}`,
  })
  expect(put.status).toBe(201)
})

afterAll(() => site.close())

const json = () => page.getByLabel('Request as JSON')
const run = () => page.getByRole('button', { name: 'Run query' })
const request = async () => JSON.parse(await textOf(json())) as Record<string, unknown>

describe('the workbench', () => {
  test('form and JSON say the same, whichever is edited', async () => {
    await page.goto(`${gateway.url}/query?ns=shop`)
    await pick(page.getByLabel('Set', { exact: true }), 'orders')
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByLabel('Bin or metadata', { exact: true }).fill('total')
    await pick(page.getByLabel('Comparison'), 'lt')
    await page.getByLabel('Value', { exact: true }).fill('3')
    const below = { bin: 'total', op: 'lt', value: 3 }
    await expect.poll(request).toEqual({ limit: 100, set: 'orders', where: below })

    await page.getByRole('button', { name: 'Add a group', exact: true }).click()
    await page.getByRole('group', { name: 'Group' }).getByLabel('Bin or metadata', { exact: true }).fill('total')
    await page.getByRole('group', { name: 'Group' }).getByLabel('Value', { exact: true }).fill(BIG)
    await pick(page.getByLabel('Match all or any of the conditions').first(), 'or')
    await expect.poll(() => textOf(json())).toContain(`"value": ${BIG}`)

    await json().fill(
      `{"set":"orders","where":{"bin":"total","op":"eq","value":${BIG}},"sample":{"share":1.0},"limit":5}`,
    )
    await expect.poll(() => page.getByLabel('Limit', { exact: true }).inputValue()).toBe('5')
    await expect.poll(() => page.getByLabel('Value', { exact: true }).inputValue()).toBe(BIG)
    await page.getByText('Only the JSON shows sample').waitFor()
    await page.getByLabel('Limit', { exact: true }).fill('7')
    await expect.poll(() => textOf(json())).toMatch(/"share": 1\.0[^]*"limit": 7/)
  })

  test('while a condition is no JSON the request stays, and nothing is sent', async () => {
    const before = await textOf(json())
    await json().fill(
      '{"set":"orders","where":{"and":[{"bin":"total","op":"lt","value":3},{"bin":"total","op":"exists","value":false}]}}',
    )
    const condition = page.getByLabel('Condition as JSON')
    await condition.waitFor()
    const asked = await textOf(json())
    await condition.fill('{"bin":')
    await page.getByText('Not JSON yet').waitFor()
    expect(await textOf(json())).toBe(asked)
    await expect.poll(() => run().isDisabled()).toBe(true)
    await expect.poll(() => page.getByRole('button', { name: 'NDJSON' }).isDisabled()).toBe(true)
    await page.getByText('Complete the marked fields of the form').waitFor()
    await condition.fill('{"bin":"total","op":"exists"}')
    await expect.poll(() => run().isDisabled()).toBe(false)
    await json().fill(before)
    await expect.poll(() => condition.count()).toBe(0)
  })

  test('runs by the keyboard, and shows every digit in every view', async () => {
    await json().press('Control+Enter')
    await page.getByText('1 returned').waitFor()
    await page.getByRole('table', { name: 'Records' }).getByText(BIG).first().waitFor()
    await page.getByText('tree', { exact: true }).click()
    const tree = page.getByRole('tree')
    await tree.focus()
    await tree.press('End')
    for (let n = 0; n < 3; n += 1) await tree.press('ArrowRight')
    await expect.poll(() => tree.textContent()).toContain(`total${BIG}`)
    await page.getByText('JSON', { exact: true }).click()
    await expect.poll(() => page.getByLabel('Records as JSON').textContent()).toContain(BIG)
  })

  test('is found again by its address, with every digit', async () => {
    await expect.poll(() => page.url()).toContain(BIG)
    const before = await textOf(json())
    await page.reload()
    await expect.poll(() => textOf(json())).toBe(before)
  })

  test('is saved, and found again after it and in the history', async () => {
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByLabel('Name', { exact: true }).fill('the big one')
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('region', { name: 'Request' }).getByText('the big one').waitFor()
    const { items } = await call<{ items: { name: string; request: string }[] }>(gateway, 'GET', '/api/v1/queries')
    expect(items.map(({ name }) => name)).toEqual(['the big one'])
    expect(items[0]?.request).toContain(BIG)

    await page.goto(`${gateway.url}/query?ns=shop`)
    await page.getByRole('button', { name: 'Saved and history' }).click()
    await page.getByRole('button', { name: 'the big one', exact: true }).click()
    await expect.poll(() => textOf(json())).toContain(BIG)
    await page.getByRole('button', { name: 'Saved and history' }).click()
    await page.getByText('history', { exact: true }).click()
    await page
      .getByText(/1 returned · .* scanned/)
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
  })

  test('one that is too long for a link is shared as a saved query', async () => {
    const long = `{"set":"orders","where":{"bin":"total","op":"in","value":[${Array.from({ length: 2500 }, (_, n) => n).join(',')}]},"limit":300}`
    await json().fill(long)
    await page.getByText('Too long for a link').waitFor()
    expect(await page.getByRole('button', { name: 'Copy link' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByLabel('Name', { exact: true }).fill('long')
    await page.getByRole('button', { name: 'Save as new' }).click()
    await page.getByRole('button', { name: 'Copy link' }).waitFor()
    // The address may still be that of the query before it.
    await page.reload()
    await expect.poll(() => page.getByLabel('Value', { exact: true }).inputValue()).toContain('2499')
    await expect.poll(() => page.url()).not.toContain('request=')
    const { items } = await call<{ items: { id: string; name: string }[] }>(gateway, 'GET', '/api/v1/queries')
    const { id } = items.find(({ name }) => name === 'long') ?? {}
    await expect.poll(() => page.url()).toContain(`saved=${id}`)
  })

  test('exports the whole result', async () => {
    // Playwright selects what is drawn, and Chromium stands still when it replaces a long selection by itself.
    await json().press('Control+a')
    await json().press('Delete')
    await json().fill(`{"set":"orders","where":{"bin":"total","op":"ge","value":198},"limit":10}`)
    for (const [format, lines] of [
      ['CSV', ['key,', `,${BIG},"{""id"":${BIG}}"`]],
      ['NDJSON', [`"total":${BIG}`]],
    ] as const) {
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: format, exact: true }).click()
      const text = readFileSync(await (await downloading).path(), 'utf8')
      for (const line of lines) expect(text).toContain(line)
      expect(text.trimEnd().split('\n')).toHaveLength(format === 'CSV' ? 4 : 3)
    }
    await run().waitFor()
  })

  test('tells what a CSV file has no columns for', async () => {
    // More than the first 256 KiB, and a bin that only the last in the order has.
    const rows = Array.from({ length: 4000 }, (_, n) => ({
      key: n,
      n,
      pad: 'x'.repeat(100),
      ...(n === 3999 && { late: 1 }),
    }))
    await importRows(gateway, 'shop', 'wide', rows)
    const exporting = async (more: object): Promise<string> => {
      await json().fill(JSON.stringify({ set: 'wide', order: { bin: 'n' }, ...more }))
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: 'CSV', exact: true }).click()
      return readFileSync(await (await downloading).path(), 'utf8')
    }
    expect(await exporting({ limit: 4000 })).toMatch(/^record_key,key,n,pad\r?\n/)
    const told = page.getByText('1 value had no column and is missing from the file. Bins: late.')
    await told.waitFor()
    expect(await exporting({ limit: 4000, select: ['n', 'late'] })).toMatch(/3999,1\r?\n$/)
    await expect.poll(() => told.count()).toBe(0)
  })

  test('no page complained', () => expect(heard).toEqual([]))
})

test('a query with groups, its plan and its result as a tree', async () => {
  const where = {
    or: [
      { bin: 'detail', op: 'contains', value: { lines: [{ sku: 'S7' }] } },
      { and: [{ bin: 'total', op: 'lt', value: 20 }, { not: { bin: 'total', op: 'eq', value: 3 } }] },
    ],
  }
  const shown = { set: 'orders', where, select: ['total', 'detail'], limit: 50 }
  await withPage(site, {}, async (own) => {
    await own.goto(addressOf(site, 'query', shown))
    await own.getByRole('button', { name: 'Run query' }).click()
    await own.getByText('19 records').waitFor()
    await own.getByText('tree', { exact: true }).click()
    await own.getByRole('tree').waitFor()
    expect(await examineLooks(own, 'query-workbench')).toEqual([])
    await own.getByRole('button', { name: 'Saved and history' }).click()
    await own.getByText('history', { exact: true }).click()
    await own
      .getByText(/returned ·/)
      .first()
      .waitFor()
    expect(await examineLooks(own, 'query-history')).toEqual([])
  })
})
