// The tasks of the README in the console, from an empty server to a dropped namespace, by keyboard alone.
import type { Locator, Page } from 'playwright-core'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closePages, hasFocus, openBrowser, openPage } from '../browser/browser.ts'
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

const { press, type, insertText } = {
  press: (key: string) => page.keyboard.press(key),
  type: (text: string) => page.keyboard.type(text),
  insertText: (text: string) => page.keyboard.insertText(text),
}

/** Goes on with Tab until it is there. */
async function tabTo(control: Locator): Promise<void> {
  await expect.poll(() => control.isEnabled()).toBe(true)
  for (let stop = 0; stop < MOST_STOPS && !(await hasFocus(control)); stop += 1) await press('Tab')
  expect(await hasFocus(control), `no Tab leads to ${control}`).toBe(true)
}

async function fill(control: Locator, text: string): Promise<void> {
  await tabTo(control)
  await press('Control+A')
  await insertText(text)
}

/** Opens the palette, and takes what a text finds first. */
async function command(text: string): Promise<void> {
  await press('Control+K')
  const field = page.getByRole('combobox', { name: 'Command', exact: true })
  await expect.poll(() => hasFocus(field)).toBe(true)
  await type(text)
  const active = async () => page.locator(`[id="${await field.getAttribute('aria-activedescendant')}"]`).textContent()
  await expect.poll(active).toContain(text)
  await press('Enter')
}

async function visit(name: string): Promise<void> {
  await command(name)
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

/** A select takes what is typed; a box with a search opens first. */
async function choose(control: Locator, choice: string): Promise<void> {
  await tabTo(control)
  if ((await control.evaluate(({ localName }) => localName)) === 'select') return type(choice)
  await press('Enter')
  await type(choice)
  await page.locator(`[role=option][data-value="${choice}"]`).waitFor()
  await press('Enter')
}

const button = (name: string, within: Page | Locator = page): Locator =>
  within.getByRole('button', { name, exact: true })

async function use(control: Locator): Promise<void> {
  await tabTo(control)
  await press('Enter')
}

/** The newest job of a kind, as soon as it has ended. */
async function newest(kind: string): Promise<unknown> {
  const read = async () =>
    (await call<{ items: { state: string }[] }>(gateway, 'GET', `/api/v1/jobs?kind=${kind}`)).items[0]
  await expect.poll(async () => (await read())?.state).not.toBe('running')
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
    await fill(page.getByLabel('Set', { exact: true }), 'orders')
    await choose(page.getByLabel('Key', { exact: true }), 'id')
    await use(button('Import'))
    await page.getByText(`${ROWS} inserted`).waitFor()
    expect(await call(gateway, 'GET', '/api/v1/namespaces/shop/size?set=orders')).toMatchObject({ records: ROWS })
  })

  test('switch the set index on', async () => {
    await command('shop')
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor()
    await use(page.getByRole('link', { name: 'Sets', exact: true }))
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
    await command('shop')
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
