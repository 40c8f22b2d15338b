// The gateway is killed and started again in the middle of each task of the main job. The page says that its figures are
// old, loses nothing that was typed, and goes on by itself: it is neither loaded again nor signed in again.
import type { Locator, Page } from 'playwright-core'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { closePages, logIn, openBrowser, openPage } from '../browser/browser.ts'
import { textOf } from '../browser/json-editor.ts'
import { pick, picked } from '../browser/pick.ts'
import { call, createNamespace, send } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

const ROWS = 300
const BIG = '9223372036854775807'
const RECORD = '/api/v1/namespaces/shop/sets/events/records/a'

const home = newHome()
const file = join(home, 'orders.ndjson')
let gateway: Gateway
let page: Page
let loads = 0
let heard: string[]

beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, id) => JSON.stringify({ id, detail: { paid: id % 3 === 0 } }))
  writeFileSync(file, rows.join('\n'))
  gateway = await startGateway(home)
  await createNamespace(gateway, { name: 'shop', storage: { engine: 'device' } })
  await call(gateway, 'PUT', RECORD, { n: 1 })
  const browser = await openBrowser()
  ;({ page, heard } = await openPage({ browser, session: await logIn(browser, gateway) }))
  page.on('load', () => {
    loads += 1
  })
})

afterEach(() => {
  // The browser tells of the calls and the stream that found no server.
  expect(heard.filter((line) => !/ERR_(CONNECTION|INCOMPLETE|EMPTY|FAILED|SOCKET)/.test(line))).toEqual([])
  heard.length = 0
})

afterAll(async () => {
  await closePages(await openBrowser())
  await gateway.stop()
  removeHome(home)
})

const mark = (): Locator => page.getByText(/^No live figures since/)
const label = (name: string, within: Page | Locator = page): Locator => within.getByLabel(name, { exact: true })
const button = (name: string, within: Page | Locator = page): Locator =>
  within.getByRole('button', { name, exact: true })

const shown = (control: Locator): Promise<string> =>
  control.evaluate((element) => ('value' in element ? String(element.value) : (element.textContent ?? '')))

/** Kills the gateway, waits until the page says so, and starts it again. `keeps` reads what was typed or chosen. */
async function restarted(keeps: () => Promise<unknown>): Promise<void> {
  const typed = await keeps()
  const before = loads
  const port = new URL(gateway.url).port
  await gateway.stop('SIGKILL')
  try {
    await mark().waitFor()
    expect(await keeps()).toEqual(typed)
  } finally {
    gateway = await startGateway(home, ['--port', port])
  }
  await mark().waitFor({ state: 'detached' })
  expect(await keeps()).toEqual(typed)
  expect(loads).toBe(before)
}

const all =
  (...controls: Locator[]) =>
  (): Promise<string[]> =>
    Promise.all(controls.map(shown))

const visit = async (path: string, title: string): Promise<void> => {
  await page.goto(`${gateway.url}${path}`)
  // A dialog hides the rest of the page from readers.
  await page.getByRole('heading', { level: 1, name: title, includeHidden: true }).waitFor()
  // Without a first frame there are no old figures.
  await page.locator('.connection.good').waitFor()
}

test('a namespace is created', async () => {
  await visit('/namespaces/new', 'Create a namespace')
  await label('Name').fill('github')
  await label('Default TTL, seconds').fill('3600')
  await restarted(all(label('Name'), label('Default TTL, seconds')))
  await button('Create namespace').click()
  await page.getByRole('heading', { level: 1, name: 'github' }).waitFor()
  expect(await call(gateway, 'GET', '/api/v1/namespaces/github')).toMatchObject({ config: { defaultTtlSeconds: 3600 } })
})

test('a file is imported', async () => {
  await visit('/import?ns=shop', 'Import & export')
  await page.getByLabel('File to import').setInputFiles(file)
  await label('Set').fill('orders')
  await pick(label('Key'), 'id')
  await restarted(all(label('Set'), label('Key')))
  await button('Import').click()
  await page.getByText(`${ROWS} inserted`).waitFor()
  expect(await call(gateway, 'GET', '/api/v1/namespaces/shop/size?set=orders')).toMatchObject({ records: ROWS })
})

test('the set index is switched on', async () => {
  await visit('/namespaces/shop/sets', 'shop')
  const toggle = page.getByRole('row', { name: /orders/ }).getByRole('switch')
  const stored = async (): Promise<string> =>
    (await call<{ index: { state: string } }>(gateway, 'GET', '/api/v1/namespaces/shop/sets/orders')).index.state
  await toggle.click()
  // Whether the kill comes before or after the switch: the page shows what holds then.
  await restarted(() => toggle.getAttribute('aria-label'))
  const isOn = async (): Promise<string> => String((await stored()) === 'on')
  await expect.poll(async () => (await toggle.getAttribute('aria-checked')) === (await isOn())).toBe(true)
  if ((await stored()) !== 'on') await toggle.click()
  await expect.poll(stored).toBe('on')
  await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('true')
})

test('a set is scanned', async () => {
  await visit('/scans?ns=shop', 'Scans')
  await pick(label('Set'), 'orders')
  await label('Threads').fill('2')
  await label('Records per second').fill('5000')
  await restarted(async () => [await picked(label('Set')), await all(label('Threads'), label('Records per second'))()])
  await button('Run scan').click()
  await page
    .getByText(new RegExp(`${ROWS} (rows|records)`))
    .first()
    .waitFor()
  // The plan tells as many records before the scan begins, and the page reads a sample with a scan of its own.
  const scans = (): Promise<{ items: object[] }> => call(gateway, 'GET', '/api/v1/jobs?kind=scan')
  await expect
    .poll(async () => (await scans()).items)
    .toContainEqual(expect.objectContaining({ threads: 2, state: 'done', done: ROWS }))
})

test('an index is built', async () => {
  await visit('/indexes?ns=shop', 'Indexes')
  await button('Create an index').first().click()
  const dialog = page.getByRole('dialog')
  await pick(label('Set', dialog), 'orders')
  await label('Bin', dialog).fill('detail')
  await label('Threads', dialog).fill('2')
  await restarted(async () => [
    await picked(label('Set', dialog)),
    await all(label('Bin', dialog), label('Threads', dialog))(),
  ])
  await button('Build index', dialog).click()
  await page
    .getByRole('row', { name: /detail/ })
    .getByText('ready')
    .waitFor()
  expect(await call(gateway, 'GET', '/api/v1/namespaces/shop/indexes/detail')).toMatchObject({ state: 'ready' })
})

test('a query is asked', async () => {
  await visit('/query?ns=shop', 'Query')
  const json = label('Request as JSON')
  const where = { bin: 'detail', op: 'contains', value: { paid: true } }
  await json.fill(JSON.stringify({ set: 'orders', where, limit: 1000 }))
  await restarted(() => textOf(json))
  await page.getByText('document index').first().waitFor()
  await button('Run query').click()
  await page
    .getByText(new RegExp(`\\b${ROWS / 3} (rows|records)`))
    .first()
    .waitFor()
  const queries = (): Promise<{ items: object[] }> => call(gateway, 'GET', '/api/v1/jobs?kind=query')
  await expect.poll(async () => (await queries()).items).toContainEqual(expect.objectContaining({ state: 'done' }))
})

test('a record is edited', async () => {
  await visit('/records?ns=shop&set=events&key=a', 'Records')
  const dialog = page.getByRole('dialog', { name: 'Record a' })
  await dialog.getByRole('radiogroup', { name: 'Edit as' }).getByText('JSON').click()
  await dialog.locator('.cm-content').waitFor()
  const json = dialog.getByLabel('Bins as JSON')
  await json.fill(`{"n": ${BIG}}`)
  await restarted(() => textOf(json))
  await button('Save', dialog).click()
  await page.getByText('Record saved').first().waitFor()
  expect(await (await send(gateway, 'GET', RECORD)).text()).toContain(`"n":${BIG}`)
})

test('an alert rule is written', async () => {
  await visit('/alerts', 'Alerts')
  await button('New rule').click()
  const dialog = page.getByRole('dialog')
  await label('Name', dialog).fill('Many records')
  await pick(label('Metric', dialog), 'namespace.records')
  await label('Value', dialog).fill('4000')
  await restarted(async () => [
    await picked(label('Metric', dialog)),
    await all(label('Name', dialog), label('Value', dialog))(),
  ])
  await button('Save', dialog).click()
  await page.getByText('Saved Many records').first().waitFor()
  const { items } = await call<{ items: object[] }>(gateway, 'GET', '/api/v1/alerts/rules')
  expect(items).toContainEqual(expect.objectContaining({ name: 'Many records' }))
})

test('it is watched live', async () => {
  await visit('/live?window=5m', 'Live')
  const tile = page.locator('.tile', { hasText: 'Operations' }).locator('strong')
  const operate = async (): Promise<string> => {
    await call(gateway, 'GET', RECORD)
    return shown(tile)
  }
  await expect.poll(operate).toMatch(/[1-9]/)
  const range = page.getByRole('radiogroup', { name: 'Range' }).getByRole('radio', { checked: true })
  await restarted(() => range.evaluate(({ parentElement }) => parentElement?.textContent))
  await expect.poll(operate).toMatch(/[1-9]/)
})
