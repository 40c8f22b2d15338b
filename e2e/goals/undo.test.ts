import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePages, examineLooks, logIn, openBrowser, type Session, withPage } from '../browser/browser.ts'
import { call, createNamespace, send } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

// A drop by mistake is taken back in the console, also after a kill. A read-only server says so on every page, and its
// console takes no changes.

const record = (ns: string): string => `/api/v1/namespaces/${ns}/sets/s/records/1`
const home = newHome()
let browser: Browser
let gateway: Gateway
let session: Session

async function restart(settings: Record<string, string> = {}): Promise<void> {
  gateway = await startGateway(home, [], settings)
  session = await logIn(browser, gateway)
}

beforeAll(async () => {
  browser = await openBrowser()
  await restart()
  await createNamespace(gateway, { name: 'ledger', storage: { engine: 'device' } })
  await send(gateway, 'PUT', record('ledger'), { v: 1 })
})

afterAll(async () => {
  await closePages(browser)
  await gateway.stop()
  removeHome(home)
})

const visit = (path: string, use: (page: Page) => Promise<void>): Promise<void> =>
  withPage({ browser, session }, {}, async (page) => {
    await page.goto(gateway.url + path)
    await use(page)
  })

async function drop(page: Page): Promise<void> {
  await page.getByText('can be undone for 10').waitFor()
  await page.getByRole('button', { name: 'Drop ledger…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('It can be restored for 10').waitFor()
  await dialog.getByRole('textbox').fill('ledger')
  await dialog.getByRole('button', { name: 'Drop namespace' }).click()
  await page.getByText('Dropped ledger with 1 record').waitFor()
}

test('a drop is undone at once', async () => {
  await visit('/namespaces/ledger/danger', async (page) => {
    await page.getByRole('button', { name: 'Drop ledger…' }).click()
    await page.getByRole('dialog').getByText('It can be restored').waitFor()
    expect(await examineLooks(page, 'drop')).toEqual([])
  })
  await visit('/namespaces/ledger/danger', async (page) => {
    await drop(page)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Restored ledger').waitFor()
  })
  expect(await call(gateway, 'GET', record('ledger'))).toMatchObject({ bins: { v: 1 } })
})

test('a drop is undone from the list after a kill, under another name', async () => {
  await visit('/namespaces/ledger/danger', drop)
  await gateway.stop('SIGKILL')
  await restart()
  expect((await send(gateway, 'GET', record('ledger'))).status).toBe(404)
  await visit('/namespaces', async (page) => {
    await page.getByRole('row', { name: /ledger/ }).waitFor()
    expect(await examineLooks(page, 'dropped')).toEqual([])
    await page.getByRole('button', { name: 'Restore…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('journal')
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText('Restored journal').waitFor()
  })
  expect(await call(gateway, 'GET', record('journal'))).toMatchObject({ bins: { v: 1 } })
})

async function truncate(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Truncate…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('It can be undone for 10').waitFor()
  await dialog.getByRole('textbox').fill('s')
  await dialog.getByRole('button', { name: 'Delete all records' }).click()
  await page.getByText('Truncated s').waitFor()
}

test('a truncation is undone at once, and from the list after a kill', async () => {
  await visit('/namespaces/journal/sets', async (page) => {
    await truncate(page)
    expect((await send(gateway, 'GET', record('journal'))).status).toBe(404)
    await page.locator('.toasts').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The records of s are back').waitFor()
  })
  expect(await call(gateway, 'GET', record('journal'))).toMatchObject({ bins: { v: 1 } })
  await visit('/namespaces/journal/sets', truncate)
  await gateway.stop('SIGKILL')
  await restart()
  await visit('/namespaces/journal/sets', async (page) => {
    const list = page.getByRole('table', { name: 'Truncations of journal' })
    await list.waitFor()
    expect(await examineLooks(page, 'truncations')).toEqual([])
    await list.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The records of s are back').waitFor()
    await list.waitFor({ state: 'detached' })
  })
  expect(await call(gateway, 'GET', record('journal'))).toMatchObject({ bins: { v: 1 } })
})

test('a truncation of the whole namespace, which another program began, is undone from the same list', async () => {
  const other = '/api/v1/namespaces/journal/sets/other/records/1'
  await send(gateway, 'PUT', other, { v: 2 })
  expect((await send(gateway, 'DELETE', '/v1/truncate/journal')).status).toBe(202)
  expect((await send(gateway, 'GET', record('journal'))).status).toBe(404)
  await visit('/namespaces/journal/sets', async (page) => {
    const list = page.getByRole('table', { name: 'Truncations of journal' })
    const row = list.getByRole('row', { name: /all sets/ })
    // It is made final by the name of the namespace, as the one of a set is by the set's.
    await row.getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete what was truncated in journal' })
    await dialog.getByText('Removes 2 records').waitFor()
    await page.keyboard.press('Escape')
    await row.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The records of journal are back').waitFor()
    await list.waitFor({ state: 'detached' })
  })
  expect(await call(gateway, 'GET', record('journal'))).toMatchObject({ bins: { v: 1 } })
  expect(await call(gateway, 'GET', other)).toMatchObject({ bins: { v: 2 } })
})

test('a read-only server says so on every page and takes no changes', async () => {
  await gateway.stop()
  await restart({ TESSERA_READ_ONLY: 'true' })
  const refused = await send(gateway, 'PUT', record('journal'), { v: 2 })
  expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'server_read_only' }])
  const pages: readonly (readonly [path: string, gone: string])[] = [
    ['/', 'Create a namespace'],
    ['/namespaces', 'Create a namespace'],
    ['/namespaces/journal/config', 'Review…'],
    ['/records', 'New record'],
  ]
  const changes: string[] = []
  const noteChanges = (page: Page) =>
    page.on('request', (request) => {
      if (request.method() !== 'GET') changes.push(`${request.method()} ${request.url()}`)
    })
  await withPage({ browser, session }, {}, async (page) => {
    noteChanges(page)
    for (const [path, gone] of pages) {
      await page.goto(gateway.url + path)
      await page.getByText('read-only', { exact: true }).first().waitFor()
      await expect.poll(() => page.getByRole('button', { name: gone }).count()).toBe(0)
      await expect.poll(() => page.getByRole('link', { name: gone }).count()).toBe(0)
      if (path !== '/namespaces') continue
      await page.getByRole('row', { name: /journal/ }).waitFor()
      expect(await examineLooks(page, 'read-only')).toEqual([])
    }
    page.removeAllListeners('request')
  })
  const refusing: readonly (readonly [path: string, refused: string])[] = [
    ['/indexes', 'Create an index'],
    ['/namespaces/journal/sets', 'Truncate…'],
    ['/access', 'New token'],
  ]
  for (const [path, name] of refusing) {
    await withPage({ browser, session }, {}, async (page) => {
      noteChanges(page)
      await page.goto(gateway.url + path)
      const button = page.getByRole('button', { name }).first()
      await expect.poll(() => button.getAttribute('aria-description')).toBe('This server is read-only')
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
      await button.click({ force: true })
      expect(await page.getByRole('dialog').count()).toBe(0)
      expect(await examineLooks(page, 'read-only')).toEqual([])
      page.removeAllListeners('request')
    })
  }
  expect(changes).toEqual([])
  await visit('/namespaces/journal/danger', async (page) => {
    await page.getByText('This server is read-only').waitFor()
    expect(await examineLooks(page, 'read-only-danger')).toEqual([])
  })
})
