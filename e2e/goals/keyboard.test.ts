// The tasks of the README in the console, from an empty server to a dropped namespace, by keyboard alone.
import type { Locator, Page } from 'playwright-core'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closePages, hasFocus, openBrowser, openPage } from '../browser/browser.ts'
import { picked } from '../browser/pick.ts'
import { call } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

const ROWS = 300
/** Stops of the Tab key on a page, at most. */
const MOST_STOPS = 150

const home = newHome()
const file = join(home, 'orders.ndjson')
let gateway: Gateway
let page: Page
let heard: string[]

beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, id) => JSON.stringify({ id, detail: { paid: id % 3 === 0 } }))
  writeFileSync(file, rows.join('\n'))
  gateway = await startGateway(home)
  ;({ page, heard } = await openPage({ browser: await openBrowser() }))
  // Without a listener the browser shows a chooser of its own, and a listener that comes with the key may come behind it.
  page.on('filechooser', () => undefined)
  await page.goto(gateway.loginLink)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  // The heading is there before the scripts that answer keys.
  await page.getByRole('button', { name: 'Search commands' }).waitFor()
})

afterAll(async () => {
  await closePages(await openBrowser())
  await gateway.stop()
  removeHome(home)
})

const press = (key: string): Promise<void> => page.keyboard.press(key)

/** Goes on with Tab until it is there. */
async function tabTo(control: Locator): Promise<void> {
  await expect.poll(() => control.isEnabled()).toBe(true)
  for (let stop = 0; stop < MOST_STOPS && !(await hasFocus(control)); stop += 1) await press('Tab')
  expect(await hasFocus(control), `no Tab leads to ${control}`).toBe(true)
}

const focused = async (control: Locator): Promise<void> => {
  await expect.poll(() => hasFocus(control)).toBe(true)
}

async function fill(control: Locator, text: string): Promise<void> {
  await tabTo(control)
  await press('Control+A')
  await page.keyboard.insertText(text)
  await expect.poll(() => textOf(control)).toBe(text)
}

/** What a field of text has, or an editor. */
const textOf = (control: Locator): Promise<string> =>
  control.evaluate((element) => (element instanceof HTMLInputElement ? element.value : element.textContent))

/** The option that Enter takes while a field has the focus. */
const active = (field: Locator): Promise<string> =>
  field.evaluate((element) => {
    const option = document.getElementById(element.getAttribute('aria-activedescendant') ?? '')
    return option?.dataset['value'] ?? option?.textContent ?? ''
  })

/** Opens the palette, and takes what a text finds first. */
async function command(text: string): Promise<void> {
  await press('Control+K')
  const field = page.getByRole('combobox', { name: 'Command', exact: true })
  await focused(field)
  await page.keyboard.insertText(text)
  await expect.poll(() => active(field)).toBe(text)
  await press('Enter')
  await field.waitFor({ state: 'detached' })
}

async function visit(name: string): Promise<void> {
  await command(name)
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
}

/** Goes through the choices of a select, from the first one on. */
async function step(select: Locator, choice: string): Promise<void> {
  await press('Home')
  for (let before: string | undefined; before !== (await picked(select)) && (await picked(select)) !== choice;) {
    before = await picked(select)
    await press('ArrowDown')
  }
}

/** Opens a box with a search, and takes what is found. */
async function search(box: Locator, choice: string): Promise<void> {
  await press('Enter')
  const field = page.getByLabel('Search the choices')
  await focused(field)
  await page.keyboard.insertText(choice)
  await expect.poll(() => active(field)).toBe(choice)
  await press('Enter')
  await field.waitFor({ state: 'detached' })
  // It gets the focus back, and the next Tab goes on from there.
  await focused(box)
}

async function choose(control: Locator, choice: string): Promise<void> {
  await tabTo(control)
  const isSelect = (await control.evaluate(({ localName }) => localName)) === 'select'
  await (isSelect ? step(control, choice) : search(control, choice))
  await expect.poll(() => picked(control)).toBe(choice)
}

const button = (name: string, within: Page | Locator = page): Locator =>
  within.getByRole('button', { name, exact: true })

async function use(control: Locator): Promise<void> {
  await tabTo(control)
  await press('Enter')
}

/** The newest job of a kind, as soon as it has ended. Its page can show rows before the list of jobs has it. */
async function newest(kind: string): Promise<unknown> {
  const read = async () =>
    (await call<{ items: { state: string }[] }>(gateway, 'GET', `/api/v1/jobs?kind=${kind}`)).items[0]
  await expect.poll(async () => (await read())?.state ?? 'running').not.toBe('running')
  return read()
}

/** Gives the focus to the table of records, from which arrows lead to its rows. */
async function toRows(): Promise<void> {
  const table = page.getByRole('region', { name: /Records of orders/ })
  await table.getByRole('row').nth(1).waitFor()
  await tabTo(table)
}

/** Opens the first record, as soon as the list has it. */
async function openFirstRow(): Promise<void> {
  await toRows()
  await press('ArrowDown')
  await press('Enter')
  await page.getByRole('dialog').waitFor()
}

/** How many records match a filter. */
async function matching(where?: object): Promise<number> {
  const asked = { set: 'orders', ...(where !== undefined && { where }), limit: 1000 }
  return (await call<{ records: unknown[] }>(gateway, 'POST', '/api/v1/namespaces/shop/query', asked)).records.length
}

/** Whether all benchmarks have ended. */
async function ended(): Promise<boolean> {
  const { items } = await call<{ items: { endedAt?: string }[] }>(gateway, 'GET', '/api/v1/workloads')
  return items.length > 0 && items.every(({ endedAt }) => endedAt !== undefined)
}

const ttl = async (): Promise<number> =>
  (await call<{ config: { defaultTtlSeconds: number } }>(gateway, 'GET', '/api/v1/namespaces/shop')).config
    .defaultTtlSeconds

describe('by keyboard alone', () => {
  test('create a namespace', async () => {
    await visit('Namespaces')
    await use(page.getByRole('link', { name: 'Create a namespace' }).first())
    await fill(page.getByLabel('Name', { exact: true }), 'shop')
    await use(button('Create namespace'))
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor()
    expect(await call(gateway, 'GET', '/api/v1/namespaces/shop')).toMatchObject({ state: 'ready' })
  })

  test('import a file', async () => {
    await visit('Import & export')
    await tabTo(button('Choose a file'))
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press('Enter')])
    await chooser.setFiles(file)
    // The choice is shown, and the form beside it is filled in from the file.
    await page.getByText('orders.ndjson').first().waitFor()
    await button('Choose another').waitFor()
    await fill(page.getByLabel('Set', { exact: true }), 'orders')
    await choose(page.getByLabel('Key', { exact: true }), 'id')
    await use(button('Import'))
    await page.getByText(`${ROWS} inserted`).waitFor()
    expect(await call(gateway, 'GET', '/api/v1/namespaces/shop/size?set=orders')).toMatchObject({ records: ROWS })
  })

  test('switch the set index on', async () => {
    await command('shop: sets')
    await tabTo(page.getByRole('row', { name: /orders/ }).getByRole('switch'))
    await press('Space')
    const state = async (): Promise<string> =>
      (await call<{ index: { state: string } }>(gateway, 'GET', '/api/v1/namespaces/shop/sets/orders')).index.state
    await expect.poll(state).toBe('on')
  })

  test('scan the set', async () => {
    await visit('Scans')
    await choose(page.getByLabel('Set', { exact: true }), 'orders')
    await page.locator('strong', { hasText: 'the set index' }).waitFor()
    await use(button('Run scan'))
    await page
      .getByText(new RegExp(`${ROWS} (rows|records)`))
      .first()
      .waitFor()
    expect(await newest('scan')).toMatchObject({ state: 'done' })
  })

  test('build an index', async () => {
    await visit('Indexes')
    await use(button('Create an index').first())
    const dialog = page.getByRole('dialog')
    await choose(dialog.getByLabel('Set', { exact: true }), 'orders')
    await fill(dialog.getByLabel('Bin', { exact: true }), 'detail')
    await use(button('Build index', dialog))
    await page
      .getByRole('row', { name: /detail/ })
      .getByText('ready')
      .waitFor()
    expect(await call(gateway, 'GET', '/api/v1/namespaces/shop/indexes/detail')).toMatchObject({ state: 'ready' })
  })

  test('ask it', async () => {
    await visit('Query')
    const where = { bin: 'detail', op: 'contains', value: { paid: true } }
    await fill(page.getByLabel('Request as JSON'), JSON.stringify({ set: 'orders', where, limit: 1000 }))
    await page.getByText('document index').first().waitFor()
    await press('Control+Enter')
    await page
      .getByText(new RegExp(`\\b${ROWS / 3} (rows|records)`))
      .first()
      .waitFor()
    expect(await newest('query')).toMatchObject({ state: 'done' })
  })

  test('change a record, and delete it', async () => {
    await command('shop: records')
    await openFirstRow()
    const dialog = page.getByRole('dialog')
    await fill(dialog.getByLabel('Value of detail'), '{"paid":"by keyboard"}')
    await use(button('Save', dialog))
    await page.getByText('Record saved').waitFor()
    await expect.poll(() => matching({ bin: 'detail', op: 'contains', value: { paid: 'by keyboard' } })).toBe(1)
    await use(button('Delete…', dialog))
    await use(button('Delete record', dialog))
    await page.getByText('Record deleted').waitFor()
    await expect.poll(() => matching()).toBe(ROWS - 1)
  })

  test('delete several records at once', async () => {
    await command('shop: records')
    await toRows()
    await press('ArrowDown')
    await press('Space')
    await press('ArrowDown')
    await press('Space')
    const bar = page.getByRole('toolbar', { name: 'Selected records' })
    // From a row, however many there are.
    await press('Shift+Tab')
    await focused(button('Clear the selection', bar))
    await press('Shift+Tab')
    await focused(button('Delete…', bar))
    await press('Enter')
    const dialog = page.getByRole('dialog')
    await use(button('Delete 2 records', dialog))
    await dialog.getByText('2 records deleted').waitFor()
    await press('Escape')
    expect(await matching()).toBe(ROWS - 3)
  })

  test('export a set', async () => {
    await command('shop: records')
    await use(button('Export all'))
    const item = page.getByRole('menuitem', { name: /^NDJSON/ })
    await focused(item)
    const [download] = await Promise.all([page.waitForEvent('download'), press('Enter')])
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n')
    expect(lines).toHaveLength(ROWS - 3)
  })

  test('save a query, and open it again', async () => {
    await visit('Query')
    await use(button('Save'))
    const dialog = page.getByRole('dialog')
    await fill(dialog.getByLabel('Name', { exact: true }), 'the paid ones')
    await use(button('Save', dialog))
    await page.getByText('Saved as the paid ones').waitFor()
    await press('Alt+w')
    await use(button('Saved and history'))
    await use(button('the paid ones'))
    await page.getByRole('tab', { name: 'the paid ones', selected: true }).waitFor()
    expect(await call(gateway, 'GET', '/api/v1/queries')).toMatchObject({ items: [{ name: 'the paid ones' }] })
  })

  test('run two benchmarks, and compare them', async () => {
    for (const name of ['one', 'two']) {
      await command('Run a benchmark')
      const dialog = page.getByRole('dialog', { name: 'Run a benchmark' })
      await fill(dialog.getByLabel('Name', { exact: true }), name)
      await fill(dialog.getByLabel('Keys', { exact: true }), '100')
      await fill(dialog.getByLabel('Seconds', { exact: true }), '1')
      await use(button('Run', dialog))
      await dialog.waitFor({ state: 'detached' })
      await expect.poll(ended).toBe(true)
    }
    await visit('Benchmarks')
    for (const name of ['one', 'two']) {
      await tabTo(page.getByRole('checkbox', { name: `Compare ${name}` }))
      await press('Space')
    }
    await use(page.getByRole('button', { name: 'Compare 2' }).or(page.getByRole('link', { name: 'Compare 2' })))
    await page.getByRole('heading', { level: 1, name: 'Compare runs' }).waitFor()
    await page.getByRole('table').first().waitFor()
    expect(page.url()).toContain('/benchmarks/compare')
  })

  test('write an alert rule, and delete it', async () => {
    await visit('Alerts')
    await use(button('New rule').first())
    const dialog = page.getByRole('dialog')
    await fill(dialog.getByLabel('Name', { exact: true }), 'by keyboard')
    await fill(dialog.getByLabel(/^Value/), '99')
    await use(button('Save', dialog))
    await page.getByText('Saved by keyboard').waitFor()
    await use(button('Delete by keyboard'))
    await use(button('Delete rule', page.getByRole('dialog')))
    await page.getByText('Deleted by keyboard').waitFor()
    const { items } = await call<{ items: { name: string }[] }>(gateway, 'GET', '/api/v1/alerts/rules')
    expect(items.map(({ name }) => name)).not.toContain('by keyboard')
  })

  test('make a user and a token, and take them back', async () => {
    await visit('Access')
    await use(button('New user').first())
    const dialog = page.getByRole('dialog')
    await fill(dialog.getByLabel('Name', { exact: true }), 'ada')
    await fill(dialog.getByLabel('Password', { exact: true }), 'lamp orchard seven violin')
    await use(button('Create user', dialog))
    await page.getByText('Created ada').waitFor()
    await use(button('New token').first())
    await fill(dialog.getByLabel('Name', { exact: true }), 'loader')
    await use(button('Create token', dialog))
    await use(button('Done', dialog))
    await dialog.waitFor({ state: 'detached' })
    await use(button('Revoke loader'))
    await use(button('Revoke token', dialog))
    await page.getByText('Revoked loader').waitFor()
    await use(button('Remove ada'))
    await use(button('Remove user', dialog))
    await page.getByText('Removed ada').waitFor()
    expect(await call(gateway, 'GET', '/api/v1/users')).toMatchObject({ items: [] })
  })

  test('change a setting, and roll it back', async () => {
    await command('shop: overview')
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor()
    await use(page.locator('main').getByRole('link', { name: 'Configuration' }))
    await fill(page.getByLabel('default TTL, seconds'), '86400')
    await use(button('Review…'))
    const dialog = page.getByRole('dialog')
    await use(button('Apply', dialog))
    await page.getByText('Settings saved').waitFor()
    expect(await ttl()).toBe(86_400)
    await use(button('Roll back to revision 1'))
    await use(button('Roll back', dialog))
    await expect.poll(ttl).toBe(0)
  })

  test('back the namespace up', async () => {
    await command('Back up a namespace')
    await use(button('Back up', page.getByRole('dialog', { name: 'Back up a namespace' })))
    await expect.poll(() => call(gateway, 'GET', '/api/v1/backups')).toMatchObject({ items: [{ namespace: 'shop' }] })
    expect(await newest('backup')).toMatchObject({ state: 'done' })
  })

  test('drop the namespace', async () => {
    await command('shop: overview')
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor()
    await use(page.getByRole('link', { name: 'Danger zone' }))
    await use(button('Drop shop…'))
    const dialog = page.getByRole('dialog')
    await fill(dialog.getByRole('textbox'), 'shop')
    await use(button('Drop namespace', dialog))
    await expect.poll(() => call(gateway, 'GET', '/api/v1/namespaces')).toMatchObject({ items: [] })
    expect(heard).toEqual([])
  })
})
