import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePages, openBrowser, openPage } from '../browser/browser.ts'
import { textOf } from '../browser/json-editor.ts'
import { call, createNamespace, send } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

// A person has the same open queries in each browser, and nobody else sees them, not even in the same browser.

const PASSWORD = 'correct horse battery staple'
const home = newHome()
let gateway: Gateway
let one: Page
let other: Page

interface Open {
  revision: number
  items: { key: string; request?: string }[]
}

beforeAll(async () => {
  gateway = await startGateway(home)
  await createNamespace(gateway, { name: 'shop', storage: { engine: 'memory' } })
  for (const name of ['ada', 'grace'])
    await call(gateway, 'POST', '/api/v1/users', { name, password: PASSWORD, grants: [{ role: 'reader' }] })
  const browser = await openBrowser()
  one = (await openPage({ browser })).page
  other = (await openPage({ browser })).page
})

afterAll(async () => {
  await closePages(await openBrowser())
  await gateway.stop()
  removeHome(home)
})

const below = (value: number): string =>
  JSON.stringify({ set: 'orders', where: { bin: 'total', op: 'lt', value }, limit: 100 })
const tabs = (at: Page) => at.getByRole('tab').evaluateAll((all) => all.map(({ textContent }) => textContent))
const json = (at: Page): Locator => at.getByRole('tabpanel').getByLabel('Request as JSON')
/** What the browser asks when somebody comes back to it. */
const comeBack = (at: Page): Promise<void> => at.evaluate(() => void dispatchEvent(new Event('focus')))
const stored = (at: Page): Promise<string> =>
  at.evaluate(() => JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }))

async function signIn(at: Page, user: string): Promise<void> {
  await at.goto(`${gateway.url}/login`)
  await signInHere(at, user)
}

async function signInHere(at: Page, user: string): Promise<void> {
  await at.getByLabel('User', { exact: true }).fill(user)
  await at.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await at.getByRole('button', { name: 'Sign in', exact: true }).click()
  await at.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
}

async function query(at: Page): Promise<void> {
  await at.goto(`${gateway.url}/query`)
  await json(at).waitFor()
}

/** What the server has of whoever is signed in there. */
const kept = async (at: Page): Promise<Open> =>
  (await (await at.request.get(`${gateway.url}/api/v1/queries/open`)).json()) as Open
async function sent(at: Page, text: string): Promise<void> {
  await expect.poll(async () => JSON.stringify(await kept(at))).toContain(text)
}

test('what is typed in one browser is there in the other, word for word and half typed', async () => {
  await signIn(one, 'ada')
  await query(one)
  await json(one).fill(below(3))
  await one.keyboard.press('Alt+n')
  await json(one).fill('{"set": "orders", "where"')
  await sent(one, '\\"where\\"')

  await signIn(other, 'ada')
  await query(other)
  await expect.poll(() => tabs(other)).toEqual(['total < 3', '{"set": "orders", "where"'])
  await other.getByRole('tab').last().click()
  await expect.poll(() => textOf(json(other))).toBe('{"set": "orders", "where"')
})

test('a query that is closed in one is closed in the other, and a change is there after a restart', async () => {
  await other.keyboard.press('Alt+w')
  await expect.poll(() => tabs(other)).toEqual(['total < 3'])
  await json(other).fill(below(4))
  await sent(other, '4}')
  const { port } = new URL(gateway.url)
  await gateway.stop('SIGKILL')
  gateway = await startGateway(home, ['--port', port])
  await comeBack(one)
  await expect.poll(() => tabs(one)).toEqual(['total < 4'])
  await expect.poll(() => textOf(json(one))).toMatch(/"value": ?4/)
})

test('a query that both change is there twice, and each browser goes on with its own', async () => {
  await one.route('**/api/v1/queries/open', (route) => route.abort())
  await json(one).fill(below(5))
  await one.getByText('Only this browser has your last changes').waitFor()
  await json(other).fill(below(6))
  await sent(other, '6}')
  await one.unroute('**/api/v1/queries/open')
  await comeBack(one)
  await expect.poll(() => tabs(one)).toEqual([expect.stringMatching(/^total < 5 \(Chrome, Linux, /), 'total < 6'])
  await expect.poll(() => textOf(json(one))).toMatch(/"value": ?5/)
  await sent(one, '5}')
  await comeBack(other)
  await expect.poll(() => tabs(other)).toEqual([expect.stringMatching(/^total < 5 \(Chrome, Linux, /), 'total < 6'])
  await expect.poll(() => textOf(json(other))).toMatch(/"value": ?6/)
  expect(await one.getByText('Only this browser has').count()).toBe(0)
})

test('a reload while a write is on its way makes no second tab', async () => {
  let arrive = (): void => undefined
  const arrived = new Promise<void>((done) => (arrive = done))
  await one.route('**/api/v1/queries/open', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue()
    // The server takes it, and the page does not hear of it.
    await route.fetch()
    arrive()
  })
  await json(one).fill(below(7))
  await arrived
  await json(one).fill(below(71))
  await one.unroute('**/api/v1/queries/open')
  await one.reload()
  await json(one).waitFor()
  await sent(one, '71}')
  expect(await tabs(one)).toEqual([expect.stringMatching(/^total < 71 \(/), 'total < 6'])
})

test('a text that is too long stays in its browser, which says so, and the others are kept', async () => {
  await one.keyboard.press('Alt+n')
  await json(one).fill(`{"set":"${'x'.repeat(600_000)}"}`)
  await one.getByText('1 query is too long for the server, and stays in this browser.').waitFor()
  await one.keyboard.press('Alt+n')
  await json(one).fill(below(8))
  await sent(one, '8}')
  expect(JSON.stringify(await kept(one))).not.toContain('xxx')
  await one.reload()
  await one.getByText('1 query is too long').waitFor()
  await one.getByRole('tab', { name: /^x/ }).click()
  await one.keyboard.press('Alt+w')
  await expect.poll(() => one.getByText('1 query is too long').count()).toBe(0)
})

test('a sign-out leaves nothing in the browser, and whoever signs in next sees nothing of it', async () => {
  await json(one).fill(below(9))
  await one.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await one.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  expect(new URL(one.url()).search).toBe('')
  expect(await stored(one)).not.toMatch(/orders|xxx/)
  await signInHere(one, 'grace')
  await query(one)
  expect(await tabs(one)).toEqual(['New query'])
  expect(await kept(one)).toMatchObject({ items: [] })
  await json(one).fill(below(1))
  await sent(one, '1}')
  await comeBack(other)
  await sent(other, '9}')
  expect(await tabs(other)).not.toContain('total < 1')
})

test('a session of somebody else in another window gets nothing of what this window shows', async () => {
  const second = await one.context().newPage()
  await query(second)
  await signIn(second, 'ada')
  await json(one).fill(below(2))
  // This window learns who it is now.
  await expect.poll(() => tabs(one)).toContain('total < 9')
  expect(JSON.stringify(await kept(one))).not.toMatch(/value\W+[12]}/)
  await second.close()
})

test('with the user goes what was typed', async () => {
  expect(await send(gateway, 'DELETE', '/api/v1/users/ada')).toHaveProperty('status', 200)
  await call(gateway, 'POST', '/api/v1/users', { name: 'ada', password: PASSWORD, grants: [{ role: 'reader' }] })
  await signIn(other, 'ada')
  await query(other)
  expect([await kept(other), await tabs(other)]).toMatchObject([{ revision: 0 }, ['New query']])
})
