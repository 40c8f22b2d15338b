import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examine, overflow, withPage } from '../browser/browser.ts'
import { openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'

// The console speaks the language that its reader chose. Pseudo-languages show texts that no language can change, and
// pages that break if texts are longer, or begin at the right.

let site: Site

beforeAll(async () => {
  site = await openShop(Array.from({ length: 300 }, (_, n) => ({ key: `order-${n}`, total: n })))
})

afterAll(() => site.close())

const pages: readonly (readonly [path: string, heading: string])[] = [
  ['/', 'Überblick'],
  ['/namespaces/shop/sets', 'shop'],
  ['/records?ns=shop&set=orders', 'Datensätze'],
  ['/query?ns=shop', 'Abfrage'],
  ['/jobs', 'Jobs'],
]

async function speak(page: Page, tag: string): Promise<void> {
  await page.goto(`${site.gateway.url}/favicon.svg`)
  await page.evaluate((chosen) => localStorage.setItem('tessera.language', chosen), tag)
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(site.gateway.url + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
}

test('a language is chosen in the navigation, stays, and is left again', async () => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await open(page, '/records?ns=shop&set=orders')
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
      await speak(page, tag)
      await open(page, '/namespaces/shop/sets')
      await expect.poll(() => page.getByText(words).count()).toBeGreaterThan(0)
    }
  })
})

describe.each([1440, 390])('at %i px', (width) => {
  test.each(['en-XA', 'ar-XB', 'de', 'ja', 'zh'])('no page breaks in %s', async (tag) => {
    await withPage(site, { viewport: { width, height: 900 } }, async (page) => {
      await speak(page, tag)
      for (const [path] of pages) {
        await open(page, path)
        expect([path, await overflow(page)]).toEqual([path, 0])
      }
      expect(await examine(page, `languages-${tag}-${width}`)).toEqual([])
    })
  })
})

test('everything that is always on a page can be said in another language', async () => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await speak(page, 'ar-XB')
    await open(page, '/')
    expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl')
    const said = await page.locator('nav a, nav h2, h1, .card > header h2').allTextContents()
    expect(said.length).toBeGreaterThan(20)
    expect(said.filter((text) => !/^⟦.*⟧$/.test(text))).toEqual([])
  })
})
