import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineLooks, follow, openPage, overflow, withPage } from '../browser/browser.ts'
import { openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'
import { untold } from '../browser/texts.ts'
import { call, createNamespace, finish, type Job } from '../gateway/client.ts'
import { isLong } from '../gateway/long.ts'

// The console speaks the language that its reader chose. Pseudo-languages show texts that no language can change, and
// pages that break if texts are longer, or begin at the right.

let site: Site

beforeAll(async () => {
  site = await openShop(Array.from({ length: 300 }, (_, n) => ({ key: `order-${n}`, total: n })))
  const { gateway } = site
  await createNamespace(gateway, { name: 'archive', storage: { engine: 'device' } })
  await createNamespace(gateway, { name: 'vault', storage: { engine: 'paged', cacheBytes: 64 * 1024 * 1024 } })
  const index = { name: 'by-total', set: 'orders', bin: 'total', kind: 'range', threads: 2 }
  await finish(gateway, await call<Job>(gateway, 'POST', '/api/v1/namespaces/shop/indexes', index))
  await call(gateway, 'POST', '/api/v1/tokens', { name: 'nightly', grants: [{ role: 'writer', namespace: 'shop' }] })
})

afterAll(() => site.close())

const pages: readonly (readonly [path: string, heading: string])[] = [
  ['/', 'Überblick'],
  ['/namespaces/shop/sets', 'shop'],
  ['/records?ns=shop&set=orders', 'Datensätze'],
  ['/query?ns=shop', 'Abfrage'],
  ['/jobs', 'Jobs'],
]

const everyPage: readonly string[] = [
  '/',
  '/live',
  '/alerts',
  '/namespaces',
  '/namespaces/new',
  ...['', '/sets', '/schema', '/indexes', '/segments', '/config', '/migrate', '/danger'].map(
    (tab) => `/namespaces/shop${tab}`,
  ),
  '/namespaces/archive/device',
  '/namespaces/vault/storage',
  '/records?ns=shop&set=orders',
  '/query?ns=shop&set=orders',
  '/import?ns=shop',
  '/scans?ns=shop&set=orders',
  '/streams?ns=shop&set=orders',
  '/indexes',
  '/indexes/shop/by-total',
  '/jobs',
  '/backups',
  '/slow',
  '/capacity',
  '/access',
  '/audit',
  '/benchmarks',
  '/lab',
  '/api',
  '/no-such-page',
]

/** Loads the console in a language, at a page. Others are followed from there. */
async function speak(page: Page, tag: string, path = '/about'): Promise<void> {
  await page.goto(`${site.gateway.url}/favicon.svg`)
  await page.evaluate((chosen) => localStorage.setItem('tessera.language', chosen), tag)
  await page.goto(site.gateway.url + path)
  await settled(page)
}

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
}

async function open(page: Page, path: string): Promise<void> {
  await follow(page, path)
  await settled(page)
}

/** Opens a page, and waits until it scrolls sideways at none of these widths. */
async function fits(page: Page, path: string, widths: readonly number[]): Promise<boolean> {
  await open(page, path)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await expect.poll(() => overflow(page), { message: `${path} at ${width}` }).toBe(0)
  }
  return true
}

test('a language is chosen in the navigation, stays, and is left again', async () => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await page.goto(`${site.gateway.url}/records?ns=shop&set=orders`)
    await page.getByRole('button', { name: 'Language: English' }).click()
    await page.getByRole('menuitem', { name: 'Deutsch' }).click()
    const nav = page.getByRole('navigation')
    await nav.getByRole('link', { name: 'Datensätze', exact: true }).waitFor()
    for (const [path, heading] of pages) {
      await open(page, path)
      await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe(heading)
    }
    expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual([
      'de-DE',
      'ltr',
    ])
    await page.getByRole('button', { name: 'Sprache: Deutsch' }).click()
    await page.getByRole('menuitem', { name: 'English' }).click()
    await nav.getByRole('link', { name: 'Records', exact: true }).waitFor()
  })
})

test('numbers and plurals are those of the language', async () => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    for (const [tag, words] of [
      ['de', '300 Datensätze'],
      ['ja', '300件のレコード'],
      ['zh', '300 条记录'],
    ] as const) {
      await speak(page, tag, '/namespaces/shop/sets')
      await expect.poll(() => page.getByText(words).count()).toBeGreaterThan(0)
    }
  })
})

test.each(['en-XA', 'ar-XB', 'de', 'ja', 'zh'])('no page breaks in %s', async (tag) => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await speak(page, tag)
    for (const [path] of pages) expect(await fits(page, path, [1440, 390])).toBe(true)
    expect(await examineLooks(page, `languages-${tag}`)).toEqual([])
  })
})

test('everything that is always on a page can be said in another language', async () => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await speak(page, 'ar-XB', '/')
    expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl')
    const said = await page.locator('nav a, nav h2, h1, .card > header h2').allTextContents()
    expect(said.length).toBeGreaterThan(20)
    expect(said.filter((text) => !/^⟦.*⟧$/.test(text))).toEqual([])
  })
})

/** Names, values of the API, and sentences that the server makes. */
const ALLOWED: readonly RegExp[] = [
  // Data of this site.
  /^\S+: (key$|shop|archive|vault|orders|by-total|total|nightly|nosuch|admin)\b/,
  /(order-\d|tessera-e2e|[0-9a-z]{13}$)/,
  // Values of configuration, requests and metrics.
  /^text: (memory|device|paged|cassandra|flat|segmented|commit|committed|latest|relaxed|none|io_uring|threads)\b/,
  /^text: (get|put|update|delete|batch|scan|query|index-lookup|set-column|set-index|limit)\b/,
  /^text: (str|int|double|json|bool|bytes|null)$/,
  /^(title|text): (GET|PUT|POST|PATCH|DELETE)\b/,
  /^placeholder: (bin|path|as|token:deploy|dropNamespace|https:)/,
  // Sentences of the server.
  /^(text|title): (.*: )?([\d:]+ )?(namespace \S+|Build index|Import into|Scan)\b/,
  /^text: (there is no|the set has no index|the kernel allows)/,
  /^text: (development|en-XA|console|token|Chrome|Mozilla)\b/,
  /^aria-description: Mozilla/,
]

/** Pages whose texts are the server's own. */
const SERVER_PAGES = ['/api', '/lab', '/audit']

const isAllowed = (text: string): boolean => ALLOWED.some((allowed) => allowed.test(text))

test('no page and no dialog has a text that no language can change', async () => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await speak(page, 'en-XA')
    const found: string[] = []
    const look = async (place: string): Promise<void> => {
      found.push(...(await untold(page)).filter((text) => !isAllowed(text)).map((text) => `${place} ${text}`))
    }
    for (const path of everyPage.filter((one) => !SERVER_PAGES.includes(one))) {
      await open(page, path)
      await look(path)
      const buttons = page.locator('main button:enabled').filter({ hasText: /…⟧$/ })
      for (const name of new Set(await buttons.allTextContents())) {
        await buttons.filter({ hasText: name }).first().click()
        await page.locator('[role=dialog], [role=alertdialog], [role=menu]').first().waitFor()
        await look(`${path} ${name}`)
        await page.keyboard.press('Escape')
        await expect.poll(() => page.locator('[role=dialog], [role=alertdialog], [role=menu]').count()).toBe(0)
      }
    }
    expect(found).toEqual([])
  })
})

// The pseudo-languages have texts a third longer: one of them stands for the others in `npm test`.
test.each(isLong ? ['ar-XB', 'en-XA', 'de'] : ['ar-XB'])('no page scrolls sideways in %s', async (tag) => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await speak(page, tag)
    // Every other page comes to a narrow window.
    for (const [turn, path] of everyPage.entries())
      expect(await fits(page, path, turn % 2 === 0 ? [1440, 390] : [390, 1440])).toBe(true)
  })
})

test('the sign-in can be said in another language', async () => {
  const { page, heard } = await openPage({ browser: site.browser }, { viewport: { width: 390, height: 900 } })
  await speak(page, 'ar-XB', '/')
  expect((await untold(page)).filter((text) => !isAllowed(text))).toEqual([])
  expect(await overflow(page)).toBe(0)
  expect(heard.filter((line) => !line.includes('401'))).toEqual([])
  await page.context().close()
})
