// The tasks of the README in the console, from an empty server to a dropped namespace, by keyboard alone.
import type { Locator, Page } from 'playwright-core'
import { writeFileSync } from 'node:fs'
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
  await page.goto(gateway.loginLink)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
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
