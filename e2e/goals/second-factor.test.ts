import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf } from '../browser/authenticator.ts'
import { closePages, openBrowser, openPage } from '../browser/browser.ts'
import { call } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

// Somebody sets up a second factor, and signs in with its codes. A server that demands one asks who has none to set it up.

const PASSWORD = 'correct horse battery staple'
const home = newHome()
let gateway: Gateway
let page: Page

beforeAll(async () => {
  gateway = await startGateway(home)
  for (const [name, role] of [
    ['ada', 'reader'],
    ['grace', 'operator'],
  ])
    await call(gateway, 'POST', '/api/v1/users', { name, password: PASSWORD, grants: [{ role }] })
  page = (await openPage({ browser: await openBrowser() })).page
})

afterAll(async () => {
  await closePages(await openBrowser())
  await gateway.stop()
  removeHome(home)
})

async function signIn(user: string, next = '/access'): Promise<void> {
  await page.goto(`${gateway.url}/login?next=${encodeURIComponent(next)}`)
  await page.getByLabel('User', { exact: true }).fill(user)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
}

async function giveCode(code: string): Promise<void> {
  await page.getByLabel('Code', { exact: true }).fill(code)
  await page.keyboard.press('Enter')
}

const isIn = (): Promise<void> => page.getByRole('heading', { level: 1, name: 'Access' }).waitFor()

async function signOut(): Promise<void> {
  await page.locator('.account').getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in to Tessera' }).waitFor()
}

/** From the secret on the page to the page that was asked for. Returns what a person keeps. */
async function setUp(): Promise<{ secret: string; recoveryCodes: string[] }> {
  await page.getByRole('img', { name: 'QR code with the secret' }).waitFor()
  const secret = await page.locator('.secret').innerText()
  await giveCode(codeOf(secret))
  const list = page.getByRole('list', { name: 'Recovery codes' })
  await list.waitFor()
  const recoveryCodes = await list.getByRole('listitem').allInnerTexts()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(
    readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n'),
  ).toEqual(recoveryCodes)
  await page.getByRole('button', { name: 'Done' }).click()
  return { secret, recoveryCodes }
}

test('a code and a recovery code sign in, each once', { timeout: 180_000 }, async () => {
  await signIn('ada')
  await isIn()
  await page.getByRole('button', { name: 'Second factor…' }).click()
  await page.getByRole('button', { name: 'Set up', exact: true }).click()
  const { secret, recoveryCodes } = await setUp()
  expect(recoveryCodes).toHaveLength(10)
  await signOut()

  // A clock may be a step ahead, so this one is new at once.
  const code = codeOf(secret, 1)
  await signIn('ada')
  await giveCode(code)
  await isIn()
  await signOut()

  await signIn('ada')
  await giveCode(code)
  await page.getByText('code_invalid · 403').waitFor()
  await giveCode(recoveryCodes[0]?.toLowerCase() ?? '')
  await isIn()
  await page.getByRole('button', { name: 'Second factor…' }).click()
  await page.getByText('9 recovery codes are left.').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await signOut()

  await signIn('ada')
  await giveCode(recoveryCodes[0] ?? '')
  await page.getByText('code_invalid · 403').waitFor()
})

test('a server that demands it leads to its set-up, and to the page after it', { timeout: 180_000 }, async () => {
  await signIn('grace')
  await isIn()
  await gateway.stop()
  gateway = await startGateway(home, ['--port', String(new URL(gateway.url).port)], {
    TESSERA_SECOND_FACTOR: 'operators',
  })
  // The session is the one of before, and may do nothing else now.
  await page.goto(`${gateway.url}/access`)
  await page.getByRole('heading', { level: 1, name: 'Sign in to Tessera' }).waitFor()
  expect(new URL(page.url()).searchParams.get('next')).toBe('/access')
  await signIn('grace')
  await page.getByRole('heading', { level: 1, name: 'Set up a second factor' }).waitFor()
  expect((await page.request.get(`${gateway.url}/api/v1/status`)).status()).toBe(403)
  await page.getByRole('button', { name: 'Begin' }).click()
  await setUp()
  await isIn()
  expect((await page.request.get(`${gateway.url}/api/v1/status`)).status()).toBe(200)
  const { items } = await call<{ items: { name: string; secondFactorSince?: string }[] }>(
    gateway,
    'GET',
    '/api/v1/users',
  )
  expect(items.filter(({ secondFactorSince }) => secondFactorSince !== undefined).map(({ name }) => name)).toEqual([
    'ada',
    'grace',
  ])
})
