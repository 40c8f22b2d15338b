// What is typed into a record is never lost: over Escape, a reload, a session that ends, a gateway that is killed.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { closePages, examineLooks, logIn, openBrowser, openPage } from '../browser/browser.ts'
import { textOf } from '../browser/json-editor.ts'
import { call, createNamespace, send } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

const BIG = '9223372036854775807'
const RECORD = '/api/v1/namespaces/shop/sets/events/records/a'

const home = newHome()
let gateway: Gateway
let page: Page
let heard: string[]

beforeAll(async () => {
  gateway = await startGateway(home)
  await createNamespace(gateway, { name: 'shop', storage: { engine: 'device' } })
  const browser = await openBrowser()
  const session = await logIn(browser, gateway)
  ;({ page, heard } = await openPage({ browser, session }))
})

afterAll(async () => {
  await closePages(await openBrowser())
  await gateway.stop()
  removeHome(home)
})

beforeEach(async () => {
  // The page that is left keeps its draft, so it is left first.
  await page.goto(`${gateway.url}/favicon.svg`)
  await page.evaluate(() => localStorage.clear())
  await call(gateway, 'PUT', RECORD, { n: 1, kind: 'push', on: true })
})

const dialog = () => page.getByRole('dialog', { name: 'Record a' })
const json = () => dialog().getByLabel('Bins as JSON')
const views = () => dialog().getByRole('radiogroup', { name: 'Edit as' })
const offer = () => dialog().getByText(/^Unsaved draft of \d\d:\d\d$/)

/** Opens the record, and types an integer of 64 bits into its JSON. */
async function edit(): Promise<void> {
  await page.goto(`${gateway.url}/records?ns=shop&set=events&key=a`)
  await views().getByText('JSON').click()
  // Its code comes after the page.
  await dialog().locator('.cm-content').waitFor()
  await json().fill(`{"n": ${BIG}, "kind": "mine", "on": true}`)
}

async function signIn(): Promise<void> {
  await page.getByText('Administrator token', { exact: true }).click()
  await page.getByLabel('Token', { exact: true }).fill(gateway.token)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Answers what is stored then. */
async function restoreAndSave(): Promise<string> {
  await offer().waitFor()
  await dialog().getByRole('button', { name: 'Restore' }).click()
  await dialog().getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Record saved').first().waitFor()
  const response = await send(gateway, 'GET', RECORD)
  return response.text()
}

test('Escape closes what the editor has opened, then asks, and the draft is there again', async () => {
  await edit()
  await json().press('Control+f')
  const search = dialog().getByRole('textbox', { name: 'Find' })
  await search.waitFor()
  await search.press('Escape')
  await search.waitFor({ state: 'detached' })
  const asks = page.getByRole('dialog', { name: 'Close without saving?' })
  // The first Escape may close the list of suggestions, which opens a moment after the text.
  await expect
    .poll(async () => {
      if ((await asks.count()) === 0) await json().press('Escape')
      return asks.count()
    })
    .toBe(1)
  await asks.getByText('Close and keep the draft').click()
  await dialog().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'a', exact: true }).click()
  expect(await restoreAndSave()).toContain(`"n":${BIG}`)
})

test('Tab leaves the editor, and its suggestions name bins', async () => {
  await edit()
  await json().focus()
  await page.keyboard.press('Tab')
  expect(await json().evaluate((element) => element === document.activeElement)).toBe(false)
  await json().fill('')
  await json().pressSequentially('{"k')
  await dialog().getByRole('option', { name: 'kind' }).click()
  await expect.poll(() => textOf(json())).toContain('{"kind": }')
  await expect.poll(() => json().getAttribute('aria-invalid')).toBe('true')
  await dialog()
    .getByText(/^Line 1, column \d+: /)
    .waitFor()
})

test('a draft outlives a reload, and may be discarded', async () => {
  await edit()
  await page.reload()
  await offer().waitFor()
  await dialog().getByRole('button', { name: 'Discard', exact: true }).click()
  await page.reload()
  await dialog().getByLabel('Name of kind').waitFor()
  expect(await offer().count()).toBe(0)
})

test('a session that ends loses nothing: the sign-in leads back to the record', async () => {
  await edit()
  const before = heard.length
  await page.context().clearCookies()
  await dialog().getByRole('button', { name: 'Save', exact: true }).click()
  await signIn()
  expect(await restoreAndSave()).toContain(`"n":${BIG}`)
  // The browser tells of the refused calls.
  expect(heard.slice(before).filter((line) => !line.includes('401'))).toEqual([])
  heard.length = before
})

test('a gateway that is killed while a record is edited loses nothing', async () => {
  await edit()
  const port = new URL(gateway.url).port
  await gateway.stop('SIGKILL')
  await dialog().getByRole('button', { name: 'Save', exact: true }).click()
  await dialog().getByRole('alert').first().waitFor()
  expect(await textOf(json())).toContain(BIG)
  gateway = await startGateway(home, ['--port', port])
  // Its sessions outlive it.
  await dialog().getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Record saved').first().waitFor()
  expect(await (await send(gateway, 'GET', RECORD)).text()).toContain(`"n":${BIG}`)
  heard.length = 0
})

test('a lost race is merged, and looked at', async () => {
  await edit()
  await call(gateway, 'PUT', RECORD, { n: 2, kind: 'push', on: false })
  await dialog().getByRole('button', { name: 'Save', exact: true }).click()
  const panel = dialog().getByRole('region', { name: 'Compare versions' })
  await panel.getByText('Use yours').click()
  expect(await examineLooks(page, 'record-merge', false)).toEqual([])
  await panel.getByRole('button', { name: 'Save merged' }).click()
  await page.getByText('Record saved').first().waitFor()
  const stored = await (await send(gateway, 'GET', RECORD)).text()
  for (const bin of [`"n":${BIG}`, '"kind":"mine"', '"on":false']) expect(stored).toContain(bin)
  // The browser tells of the refused call.
  expect(heard.filter((line) => !line.includes('412'))).toEqual([])
})

test('the stored bytes are shown', async () => {
  await page.goto(`${gateway.url}/records?ns=shop&set=events&key=a`)
  await views().getByText('hex').click()
  await expect.poll(() => dialog().getByLabel('Record as bytes').textContent()).toMatch(/^0000 {2}8\w /)
})
