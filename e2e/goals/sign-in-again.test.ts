import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePages, hasFocus, openBrowser, openPage } from '../browser/browser.ts'
import { call } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

// A browser that was left open ends no other session: the console asks who is there, by keyboard alone.

const PASSWORD = 'correct horse battery staple'
const FRESH_MS = 10_000
const home = newHome()
let gateway: Gateway
let page: Page
let elsewhere: Page
/** Whose session grows old beside that of the first. */
let beside: Page

interface Session {
  createdAt: string
  current: boolean
}

beforeAll(async () => {
  gateway = await startGateway(home, [], { TESSERA_SESSION_FRESH: `${FRESH_MS / 1000}s` })
  await call(gateway, 'POST', '/api/v1/users', { name: 'ada', password: PASSWORD, grants: [{ role: 'reader' }] })
  const browser = await openBrowser()
  elsewhere = (await openPage({ browser })).page
  beside = (await openPage({ browser })).page
  page = (await openPage({ browser })).page
})

afterAll(async () => {
  await closePages(await openBrowser())
  await gateway.stop()
  removeHome(home)
})

async function signIn(at: Page): Promise<void> {
  await at.goto(`${gateway.url}/login?next=%2Faccess`)
  await at.getByLabel('User', { exact: true }).fill('ada')
  await at.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await at.keyboard.press('Enter')
  await at.getByRole('heading', { level: 1, name: 'Access' }).waitFor()
}

const own = async (): Promise<Session | undefined> => {
  const answer = await page.request.get(`${gateway.url}/api/v1/sessions`)
  return ((await answer.json()) as { items: Session[] }).items.find(({ current }) => current)
}

test('the password is asked for, and the session elsewhere ends', { timeout: 120_000 }, async () => {
  await signIn(elsewhere)
  await signIn(beside)
  await signIn(page)
  const began = (await own())?.createdAt ?? ''
  await expect.poll(() => Date.now() - Date.parse(began), { timeout: 60_000 }).toBeGreaterThan(FRESH_MS)
  const button = page.getByRole('button', { name: /^Sign out ada in/ }).nth(2)
  await button.focus()
  await page.keyboard.press('Enter')
  const password = page.getByRole('dialog', { name: 'Sign in again' }).getByLabel('Password of ada')
  await expect.poll(() => hasFocus(password)).toBe(true)
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByText('Signed out', { exact: true }).waitFor()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await expect.poll(() => page.getByRole('button', { name: /^Sign out ada in/ }).count()).toBe(2)
  expect((await elsewhere.request.get(`${gateway.url}/api/v1/auth/me`)).status()).toBe(401)
  // The page goes on with the session that has replaced its own.
  expect(new URL(page.url()).pathname).toBe('/access')
  expect((await own())?.createdAt).not.toBe(began)
})

test('a dialog makes room for the one that asks, and goes on after it', async () => {
  await beside.getByRole('button', { name: 'Second factor…' }).focus()
  await beside.keyboard.press('Enter')
  await beside.getByRole('button', { name: 'Set up', exact: true }).focus()
  await beside.keyboard.press('Enter')
  const password = beside.getByRole('dialog', { name: 'Sign in again' }).getByLabel('Password of ada')
  await expect.poll(() => hasFocus(password)).toBe(true)
  await expect.poll(() => beside.getByRole('dialog').count()).toBe(1)
  await beside.keyboard.type(PASSWORD)
  await beside.keyboard.press('Enter')
  await beside.getByRole('dialog', { name: 'Set up a second factor' }).getByRole('img').waitFor()
  await expect.poll(() => beside.getByRole('dialog').count()).toBe(1)
})
