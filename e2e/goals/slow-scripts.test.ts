import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examine, hasFocus, looks, openPage, withPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { call } from '../gateway/client.ts'

// The frame of a page is there before the scripts of the console. What is pressed meanwhile acts when they run. If they do
// not come, the page says so.

/** The scripts that run after the frame is drawn. */
const SCRIPTS = /\/assets\/(react|tanstack|base-ui|console|main)-[^/]*\.js$/
const PASSWORD = 'k/three-words-g'

let site: Site

beforeAll(async () => {
  site = await openSite()
  await call(site.gateway, 'POST', '/api/v1/users', {
    name: 'mia',
    password: PASSWORD,
    grants: [{ role: 'admin' }],
  })
})

afterAll(() => site.close())

/** Opens the frame of a page, whose scripts wait. Answers what lets them come. */
async function openFrame(page: Page, path: string): Promise<() => Promise<void>> {
  const held: Route[] = []
  let isHeld = true
  await page.route(SCRIPTS, async (route) => {
    if (isHeld) held.push(route)
    else await route.continue()
  })
  await page.goto(site.gateway.url + path, { waitUntil: 'commit' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await page.locator('.skeleton').count()).toBeGreaterThan(0)
  return async () => {
    isHeld = false
    await Promise.all(held.map((route) => route.continue()))
  }
}

describe('before the scripts of a page run', () => {
  test.each(['Control+k', '/'])('%s is pressed, and the palette has what was typed after it', async (key) => {
    await withPage(site, {}, async (page) => {
      const release = await openFrame(page, '/')
      await page.keyboard.press(key)
      await page.keyboard.type('audix')
      await page.keyboard.press('Backspace')
      await page.keyboard.type('t /')
      await page.keyboard.press('Backspace')
      await release()
      const field = page.getByRole('combobox', { name: 'Command', exact: true })
      await field.waitFor()
      await expect.poll(() => field.inputValue()).toBe('audit ')
      expect(await hasFocus(field)).toBe(true)
      await page.keyboard.type('p')
      await expect.poll(() => field.inputValue()).toBe('audit p')
      await page.keyboard.press('Escape')
      await field.waitFor({ state: 'detached' })
      await page.keyboard.press('Control+k')
      await expect.poll(() => field.inputValue()).toBe('')
    })
  })

  test('a command is typed to its end, and runs', async () => {
    await withPage(site, {}, async (page) => {
      const release = await openFrame(page, '/')
      await page.keyboard.press('Control+k')
      await page.keyboard.type('capacity')
      await page.keyboard.press('Enter')
      await release()
      await page.waitForURL('**/capacity')
      await page.getByRole('heading', { level: 1, name: 'Capacity' }).waitFor()
      await expect.poll(() => page.getByRole('combobox', { name: 'Command', exact: true }).count()).toBe(0)
    })
  })

  test('the button of the palette is pressed', async () => {
    await withPage(site, {}, async (page) => {
      const release = await openFrame(page, '/namespaces')
      await page.getByRole('button', { name: 'Search commands' }).click()
      await page.keyboard.type('jobs')
      await release()
      const field = page.getByRole('combobox', { name: 'Command', exact: true })
      await field.waitFor()
      await expect.poll(() => field.inputValue()).toBe('jobs')
    })
  })

  test('shortcuts are pressed, and act in their order', async () => {
    await withPage(site, {}, async (page) => {
      const release = await openFrame(page, '/')
      await page.keyboard.type('gn?')
      await release()
      await page.waitForURL('**/namespaces')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      // Behind the dialog nothing has a role.
      await expect.poll(() => page.locator('h1').textContent()).toBe('Namespaces')
    })
  })

  test('what is typed on the page of sign-in is not kept', async () => {
    await withPage({ browser: site.browser }, {}, async (page) => {
      const release = await openFrame(page, '/login')
      await page.keyboard.press('/')
      await page.keyboard.type(PASSWORD)
      await release()
      await signIn(page)
      expect(await page.getByRole('dialog').count()).toBe(0)
      await expectNothingTyped(page)
    })
  })

  test('nor is it if nobody is signed in', async () => {
    const { page } = await openPage({ browser: site.browser })
    const release = await openFrame(page, '/')
    await page.keyboard.press('Control+k')
    await page.keyboard.type(PASSWORD)
    await release()
    await page.waitForURL('**/login?*')
    await signIn(page)
    expect(await page.getByRole('dialog').count()).toBe(0)
    await expectNothingTyped(page)
    await page.context().close()
  })
})

async function signIn(page: Page): Promise<void> {
  const user = page.getByLabel('User', { exact: true })
  const password = page.getByLabel('Password', { exact: true })
  await user.waitFor()
  expect([await user.inputValue(), await password.inputValue()]).toEqual(['', ''])
  await user.fill('mia')
  await password.fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByText('API calls of this page').waitFor()
}

async function expectNothingTyped(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Command', exact: true })
  await field.waitFor()
  await expect.poll(() => field.inputValue()).toBe('')
}

describe('if a script does not come', () => {
  test.each(looks)('the page says so, and is loaded again, %s', async (name, view) => {
    const { page, heard } = await openPage(site, view)
    await page.route(/\/assets\/tanstack-[^/]*\.js$/, (route) => route.abort('connectionrefused'))
    await page.goto(`${site.gateway.url}/namespaces`)
    const told = page.getByRole('alert')
    await told.getByText('The console could not be loaded').waitFor()
    expect(await examine(page, `not-loaded-${name}`)).toEqual([])
    expect(heard.join('\n')).toContain('tanstack-')
    expect(heard.join('\n')).not.toContain('Content Security Policy')
    // Keys are for the button, and for no palette.
    await expect.poll(() => page.getByRole('button').allTextContents()).toEqual(['Reload'])
    await page.keyboard.press('Control+k')
    const again = told.getByRole('button', { name: 'Reload' })
    await again.focus()
    await page.unrouteAll()
    await page.keyboard.press('Enter')
    await page.getByText('API calls of this page').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.context().close()
  })

  test.each([
    ['de', '/login', 'Die Konsole konnte nicht geladen werden', 'Neu laden'],
    ['ja', '/live?kiosk=true', 'コンソールを読み込めませんでした', '再読み込み'],
  ])('it is said in %s on %s', async (tag, path, words, button) => {
    const { page } = await openPage(site)
    await page.addInitScript((chosen) => localStorage.setItem('tessera.language', chosen), tag)
    await page.route(SCRIPTS, (route) => route.fulfill({ status: 404 }))
    await page.goto(site.gateway.url + path)
    await page.getByRole('alert').getByText(words).waitFor()
    expect(await page.getByRole('button', { name: button }).count()).toBe(1)
    await page.context().close()
  })

  test('that has the texts of a language, the page is English', async () => {
    const { page } = await openPage(site)
    await page.addInitScript(() => localStorage.setItem('tessera.language', 'de'))
    await page.route(/\/assets\/de-[^/]*\.js$/, (route) => route.abort())
    await page.goto(`${site.gateway.url}/namespaces`)
    await page.getByText('API calls of this page').waitFor()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Namespaces')
    await page.context().close()
  })
})
