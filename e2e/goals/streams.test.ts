import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineLooks, openPage, withPage } from '../browser/browser.ts'
import { addressOf, openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'
import { pick, picked } from '../browser/pick.ts'
import { textOf } from '../browser/json-editor.ts'
import { call, type Job } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'

// A pipeline of steps: built, run, shared and stopped in the console.

const cities = ['Oslo', 'Rome', 'Kyiv']

let site: Site
let gateway: Gateway

beforeAll(async () => {
  site = await openShop(orders())
  gateway = site.gateway
})

afterAll(() => site.close())

function* orders(): Generator<unknown> {
  for (let n = 0; n < 3000; n += 1)
    yield { key: `order-${n}`, n, city: cities[n % 3], price: n / 2, lines: [{ sku: `S${n % 7}` }, { sku: 'X' }] }
}

const json = (page: Page) => page.getByLabel('Request as JSON')
const request = async (page: Page) => JSON.parse(await textOf(json(page))) as { steps: unknown[] }
/** The request that the address carries. */
function addressed(page: Page): unknown {
  const text = new URL(page.url()).searchParams.get('request')
  return text === null ? undefined : JSON.parse(JSON.parse(text) as string)
}
const run = (page: Page) => page.getByRole('button', { name: 'Run stream' })
const groups = (page: Page) => page.getByRole('region', { name: 'Table: Groups' }).locator('tbody tr')
const kind = (page: Page, number: number) => page.getByLabel(`Kind of step ${number}`)

async function visit(page: Page, steps: unknown[] = [], more: object = {}): Promise<void> {
  await page.goto(addressOf(site, 'streams', { set: 'orders', ...more, steps }))
  await json(page).waitFor()
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')

/** As many times Tab as it takes to come to a control. */
async function tabTo(page: Page, label: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await focused(page)) === label) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${label}`)
}

test('a pipeline is built and run by the keyboard alone, and found again by its address', async () => {
  await withPage(site, {}, async (page) => {
    await visit(page)
    const add = page.getByRole('button', { name: 'Add a step' })
    await add.focus()
    await page.keyboard.press('Enter')
    // The new step has the focus: its kind, and behind its buttons its argument.
    await expect.poll(() => focused(page)).toBe('Kind of step 1')
    await page.getByText('Enter a condition').waitFor()
    await expect.poll(() => run(page).isDisabled()).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByLabel('Search the choices').pressSequentially('groupBy')
    await page.keyboard.press('Enter')
    await expect.poll(() => picked(kind(page, 1))).toBe('groupBy')
    await page.getByRole('button', { name: 'Add a group key' }).press('Enter')
    await page.getByLabel('Bin of this group key').pressSequentially('city')
    await expect.poll(() => request(page)).toMatchObject({ steps: [{ groupBy: { by: ['city'] } }] })

    // What is added comes before the step that all come to.
    await add.press('Enter')
    await expect.poll(() => focused(page)).toBe('Kind of step 1')
    await page.getByRole('button', { name: 'Add a condition' }).press('Enter')
    await page.getByLabel('Bin or metadata', { exact: true }).fill('n')
    await pick(page.getByLabel('Comparison'), 'lt')
    await page.getByLabel('Value', { exact: true }).fill('300')
    await add.press('Enter')
    await expect.poll(() => focused(page)).toBe('Kind of step 2')
    await page.keyboard.press('l')
    await page.getByLabel('Maximum elements').fill('1000')
    const filter = { filter: { bin: 'n', op: 'lt', value: 300 } }
    const groupBy = { groupBy: { by: ['city'] } }
    await expect.poll(() => request(page)).toEqual({ set: 'orders', steps: [filter, { limit: 1000 }, groupBy] })

    // Moved up it is the first, and the focus stays with it.
    await kind(page, 2).focus()
    await tabTo(page, 'Move step 2 up')
    await page.keyboard.press('Enter')
    await page.getByText('limit moved to step 1 of 3').waitFor()
    await expect.poll(() => focused(page)).toBe('Move step 1 down')
    await expect.poll(() => request(page)).toMatchObject({ steps: [{ limit: 1000 }, filter, groupBy] })
    await tabTo(page, 'Remove step 1')
    await page.keyboard.press('Enter')
    await expect.poll(() => request(page)).toMatchObject({ steps: [filter, groupBy] })
    await expect.poll(() => focused(page)).toBe('Kind of step 1')

    await page.getByLabel('Value', { exact: true }).press('Enter')
    await expect.poll(() => groups(page).count()).toBe(3)
    expect((await groups(page).allTextContents()).toSorted()).toEqual(['Kyiv100', 'Oslo100', 'Rome100'])
    await page.getByText('3 groups · 300 matched').waitFor()
    await expect
      .poll(() => page.getByRole('region', { name: 'From the command line' }).textContent())
      .toContain('/stream')

    const made = { set: 'orders', steps: [filter, groupBy] }
    await expect.poll(() => addressed(page)).toEqual(made)
    await withPage(site, {}, async (other) => {
      await other.goto(page.url())
      await expect.poll(() => request(other)).toEqual(made)
      await expect.poll(() => picked(kind(other, 2))).toBe('groupBy')
    })
  })
})

test('what was typed last is there again when the page is loaded again, or come back to', async () => {
  await withPage(site, {}, async (page) => {
    await visit(page, [{ limit: 7 }])
    const limited = (limit: number) => ({ set: 'orders', steps: [{ limit }] })
    await page.getByLabel('Maximum elements').fill('8')
    await page.reload()
    await expect.poll(() => request(page)).toEqual(limited(8))
    await page.getByLabel('Maximum elements').fill('9')
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor()
    await page.goBack()
    await expect.poll(() => request(page)).toEqual(limited(9))
    await expect.poll(() => addressed(page)).toEqual(limited(9))
    // A link says what it says.
    await visit(page, [{ limit: 5 }])
    expect(await request(page)).toEqual(limited(5))
  })
})

test('each end has its own view: rows, a count, figures, groups', async () => {
  await withPage(site, {}, async (page) => {
    await visit(page, [{ flatMap: { bin: 'lines', as: 'line' } }, { map: [{ bin: 'line', path: 'sku', as: 'count' }] }])
    // Columns of a row may be called as an answer is.
    await run(page).click()
    await page.getByText('first 5,000 of 6,000 rows').waitFor()
    await expect.poll(() => page.getByRole('columnheader').allTextContents()).toEqual(['#', 'count'])

    await page.getByRole('button', { name: 'Add a step' }).click()
    await pick(kind(page, 3), 'distinct')
    await page.getByRole('button', { name: 'Add a step' }).click()
    await pick(kind(page, 4), 'count')
    await run(page).click()
    await page.locator('.count-figure strong', { hasText: /^8$/ }).waitFor()

    for (const [title, shown] of [
      ['records by city', 'Oslo1,000'],
      ['sum of price by city', 'Kyiv750,250'],
      ['sum of price', 'sum price2,249,250'],
    ] as const) {
      await page.getByRole('button', { name: title, exact: true }).click()
      await run(page).click()
      await expect.poll(() => page.getByRole('row').allTextContents()).toContainEqual(expect.stringContaining(shown))
    }
    await page.getByRole('button', { name: 'distinct city' }).click()
    await run(page).click()
    await page.getByText('3 rows', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'top ten by price' }).click()
    await run(page).click()
    await page.getByText('10 records', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'order-2999' }).click()
    await page.getByRole('dialog').waitFor()

    await visit(page)
    await run(page).click()
    await page.getByText('3,000 records', { exact: true }).first().waitFor()
    await page.getByRole('radio', { name: 'JSON' }).check()
    // The page has no export.
    await page.getByText('The first 200 records.', { exact: true }).waitFor()
  })
})

test('what an example and another kind replace is found again', async () => {
  await withPage(site, {}, async (page) => {
    await visit(page, [{ limit: 7 }])
    await page.getByRole('button', { name: 'records by city', exact: true }).click()
    await expect.poll(() => page.url()).toContain('groupBy')
    await page.goBack()
    await expect.poll(() => request(page)).toEqual({ set: 'orders', steps: [{ limit: 7 }] })
    await pick(kind(page, 1), 'filter')
    await page.getByText('Enter a condition').waitFor()
    await pick(kind(page, 1), 'limit')
    await expect.poll(() => page.getByLabel('Maximum elements').inputValue()).toBe('7')
  })
})

test('what is wrong is told at its step', async () => {
  const { page, heard } = await openPage(site)
  try {
    await visit(page, [{ limit: 5 }, { filter: { bin: 'n', op: 'like', value: 1 } }, { count: true }])
    const step = page.getByRole('group', { name: 'Steps' }).getByRole('listitem').nth(1)
    await step.getByText('filter_invalid').waitFor()
    await expect.poll(() => step.getByRole('alert').textContent()).toContain('steps[1].filter')
    await expect.poll(() => run(page).isDisabled()).toBe(true)
    await expect.poll(() => page.getByRole('group', { name: 'Steps' }).getByRole('alert').count()).toBe(1)
    await step.getByLabel('Condition as JSON').fill('{"bin":"n","op":"lt","value":10}')
    await expect.poll(() => step.getByRole('alert').count()).toBe(0)
    await run(page).click()
    await page.locator('.count-figure').waitFor()
    // The browser itself tells of the refusal, and nothing else is wrong.
    expect([...new Set(heard)]).toEqual([expect.stringContaining('status of 400')])
  } finally {
    await page.context().close()
  }
})

test('a stream that runs is stopped, and its job with it', async () => {
  const { page, heard } = await openPage(site)
  try {
    await visit(page, [{ map: ['city'] }], { threads: 2, recordsPerSecond: 1 })
    await run(page).click()
    const result = page.getByRole('region', { name: 'Result' })
    await result.getByText('running').waitFor()
    const newest = async () =>
      (await call<{ items: Job[] }>(gateway, 'GET', '/api/v1/jobs?kind=stream&limit=1')).items[0]
    await expect.poll(newest).toMatchObject({ state: 'running' })
    await call(gateway, 'DELETE', `/api/v1/jobs/${(await newest())?.id}`)
    await page.getByText('Aborted. The rows received so far are shown.').waitFor()
    await expect.poll(newest).toMatchObject({ state: 'aborted' })

    await run(page).click()
    await result.getByText('running').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect.poll(newest).toMatchObject({ state: 'aborted' })
    await page.getByText('· stopped').waitFor()
    // A job that is aborted breaks its answer off, which the browser tells.
    expect(heard.filter((line) => !line.includes('ERR_INCOMPLETE_CHUNKED_ENCODING'))).toEqual([])
  } finally {
    await page.context().close()
  }
})

test('a pipeline and its groups', async () => {
  const steps = [
    {
      filter: {
        or: [
          { bin: 'city', op: 'eq', value: 'Oslo' },
          { bin: 'n', op: 'lt', value: 900 },
        ],
      },
    },
    { flatMap: { bin: 'lines', as: 'line' } },
    { map: ['city', 'price', { bin: 'line', path: 'sku', as: 'sku' }, { expr: { mul: ['n', 2] }, as: 'twice' }] },
    { sort: { bin: 'price', desc: true, limit: 1000 } },
    { groupBy: { by: ['city', 'sku'], aggregate: { 'sum price': { op: 'sum', bin: 'price' } }, top: 12 } },
  ]
  await withPage(site, {}, async (page) => {
    await visit(page, steps)
    await run(page).click()
    await expect.poll(() => groups(page).count()).toBeGreaterThan(5)
    await page.evaluate(() => scrollTo(0, 0))
    expect(await examineLooks(page, 'streams-groups')).toEqual([])
    await visit(page, [{ map: ['city', 'price'] }, { limit: 50 }])
    await run(page).click()
    await page.getByText('50 rows', { exact: true }).first().waitFor()
    await page.evaluate(() => scrollTo(0, 0))
    expect(await examineLooks(page, 'streams-rows')).toEqual([])
  })
})
