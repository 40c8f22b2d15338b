import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examineLooks, openPage, withPage } from '../browser/browser.ts'
import { addressOf, openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'
import { pick, picked } from '../browser/pick.ts'
import { textOf } from '../browser/json-editor.ts'

// Every member of a request that makes rows of its own, through the page: asked in the form, said by the JSON, run, and shown.

/** Orders whose `detail` has `gift` for even numbers and `note` for every third; each has as many lines as its number. */
const orders = Array.from({ length: 6 }, (_, n) => ({
  key: `order-${n}`,
  total: [30, 10, 50, 20, 40, 0][n],
  detail: {
    ...(n % 2 === 0 && { gift: true }),
    ...(n % 3 === 0 && { note: 'soon' }),
    buyer: ['ann', 'bob'][n % 2],
    lines: Array.from({ length: n }, (_, at) => ({ sku: `S${at}`, n: n * 10 + at })),
  },
}))

let site: Site
let page: Page
let heard: string[]

beforeAll(async () => {
  site = await openShop(orders)
  ;({ page, heard } = await openPage(site))
})

afterAll(() => site.close())

const json = () => page.getByLabel('Request as JSON')
const request = async () => JSON.parse(await textOf(json())) as Record<string, unknown>
const result = () => page.getByRole('region', { name: 'Result' })

/** A query that asks the orders only, and a form that shows it. */
async function begin(asked: Record<string, unknown> = {}): Promise<void> {
  await page.goto(`${site.gateway.url}/query?ns=shop`)
  await json().fill(JSON.stringify({ set: 'orders', ...asked }))
  await expect.poll(() => page.getByLabel('Set', { exact: true }).inputValue()).toBe('orders')
}

/** Runs it, and answers the rows of the table, cell by cell. */
async function rows(name: string, expected: number): Promise<string[][]> {
  await page.getByRole('button', { name: 'Run query' }).click()
  const table = result().getByRole('table', { name })
  await expect.poll(async () => (await cells(table)).length).toBe(expected)
  return cells(table)
}

async function cells(table: Locator): Promise<string[][]> {
  const all = await table.getByRole('row').all()
  const found = await Promise.all(all.map((row) => row.getByRole('cell').allTextContents()))
  return found.filter((row) => row.length > 0)
}

const keysOf = (table: string[][]): string[] =>
  table.map((row) => row.find((cell) => cell.startsWith('order-')) ?? '').toSorted()

test.each([
  ['has', 'gift', 'gift', ['order-0', 'order-2', 'order-4']],
  ['hasAny', '["gift","note"]', ['gift', 'note'], ['order-0', 'order-2', 'order-3', 'order-4']],
  ['hasAll', '["gift","note"]', ['gift', 'note'], ['order-0']],
])('%s finds records by their keys', async (op, typed, value, found) => {
  await begin()
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page.getByLabel('Bin or metadata', { exact: true }).fill('detail')
  await pick(page.getByLabel('Comparison'), op)
  await page.getByLabel('Value', { exact: true }).fill(typed)
  await expect.poll(request).toEqual({ set: 'orders', where: { bin: 'detail', op, value } })
  expect(keysOf(await rows('Records', found.length))).toEqual(found)

  // The form says again what only the JSON was told.
  await json().fill(JSON.stringify({ set: 'orders', where: { bin: 'detail', op: 'has', value: 'note' } }))
  await expect.poll(() => picked(page.getByLabel('Comparison'))).toBe('has')
  await expect.poll(() => page.getByLabel('Value', { exact: true }).inputValue()).toBe('note')
})

test('keys that are no text are refused by the form, and nothing is sent', async () => {
  await begin()
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page.getByLabel('Bin or metadata', { exact: true }).fill('detail')
  await pick(page.getByLabel('Comparison'), 'hasAny')
  await page.getByLabel('Value', { exact: true }).fill('gift')
  await page.getByText('Enter a list of keys').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Run query' }).isDisabled()).toBe(true)
  expect(await request()).toEqual({ set: 'orders' })
})

test('order sorts the records, either way', async () => {
  await begin({ select: ['total'], limit: 4 })
  await page.getByLabel('Order by bin or metadata').fill('total')
  await pick(page.getByLabel('Direction of the order'), 'desc')
  await expect.poll(request).toMatchObject({ order: { bin: 'total', desc: true }, limit: 4 })
  const totals = async () => (await rows('Records', 4)).map((row) => row.at(-1))
  expect(await totals()).toEqual(['50', '40', '30', '20'])

  await json().fill((await textOf(json())).replace('"desc": true', '"desc": false'))
  await page.getByText('Only the JSON shows order').waitFor()
  expect(await totals()).toEqual(['0', '10', '20', '30'])
})

test('unnest makes a row of each item', async () => {
  await begin({ where: { bin: 'total', op: 'eq', value: 20 } })
  await page.getByLabel('Bin of this list').fill('detail')
  await page.getByLabel('Path of this list').fill('lines')
  await page.getByLabel('Name of this list').fill('line')
  await page.getByRole('button', { name: 'Add a column' }).click()
  await page.getByLabel('Bin of this column').fill('line')
  await page.getByLabel('Path of this column').fill('sku')
  await page.getByLabel('Name of this column').fill('sku')
  await expect.poll(request).toMatchObject({
    unnest: { bin: 'detail', path: 'lines', as: 'line' },
    select: [{ bin: 'line', path: 'sku', as: 'sku' }],
  })
  const items = await rows('Records', 3)
  expect(items.map((row) => row.at(-1)).toSorted()).toEqual(['S0', 'S1', 'S2'])
})

describe('group', () => {
  test('counts records by what lies at a path', async () => {
    await begin({ limit: 100 })
    await page.getByRole('button', { name: 'Add a group key' }).click()
    await page.getByLabel('Bin of this group key').fill('detail')
    await page.getByLabel('Path of this group key').fill('buyer')
    await page.getByLabel('Name of this group key').fill('buyer')
    await page.getByRole('button', { name: 'Add a figure' }).click()
    await page.getByRole('button', { name: 'Add a figure' }).click()
    await pick(page.getByLabel('Figure', { exact: true }).nth(1), 'sum')
    await page.getByLabel('Bin or metadata of the figure').nth(1).fill('total')
    const figures = page.getByLabel('Order by figure')
    const sum = (await figures.getByRole('option').allTextContents()).at(-1) ?? ''
    await pick(figures, sum)
    // Figures are of all that match: the limit has gone.
    await expect.poll(request).toEqual({
      set: 'orders',
      group: { by: [{ bin: 'detail', path: 'buyer', as: 'buyer' }], order: sum },
      aggregate: expect.any(Object) as unknown,
    })
    expect(await rows('Groups', 2)).toEqual([
      ['ann', '3', '120'],
      ['bob', '3', '30'],
    ])
    await result().getByText('2 groups · 6 matched').waitFor()

    await pick(page.getByLabel('Direction', { exact: true }), 'least')
    await page.getByLabel('Maximum groups').fill('1')
    await expect.poll(request).toMatchObject({ group: { top: 1, desc: false } })
    expect(await rows('Groups', 1)).toEqual([['bob', '3', '30']])
  })

  test('of items is a table', async () => {
    const asked = {
      set: 'orders',
      unnest: { bin: 'detail', path: 'lines', as: 'line' },
      group: {
        by: [
          { bin: 'line', path: 'sku', as: 'sku' },
          { bin: 'detail', path: 'note' },
        ],
        top: 3,
      },
      aggregate: { lines: { op: 'count' }, mean: { op: 'avg', bin: 'total' } },
    }
    await withPage(site, {}, async (own) => {
      await own.goto(addressOf(site, 'query', asked))
      await own.getByRole('button', { name: 'Run query' }).click()
      const table = own.getByRole('table', { name: 'Groups' })
      await table.waitFor()
      const shown = await cells(table)
      // Items of order 1, 2, 4 and 5 have no note: S0 of all four.
      expect(shown[0]).toEqual(['S0', 'none', '4', '25'])
      expect(shown).toHaveLength(3)
      await expect.poll(() => own.locator('[aria-busy=true]').count()).toBe(0)
      expect(await examineLooks(own, 'query-groups')).toEqual([])
    })
  })
})

test('no page complained', () => expect(heard).toEqual([]))
