import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineLooks, withPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'

// A page for a screen on a wall: without navigation, forms and calls, and by keyboard there and back.

let site: Site

beforeAll(async () => {
  site = await openSite()
})

afterAll(() => site.close())

test('a page is put on a wall from the palette, and taken down again', async () => {
  await withPage(site, {}, async (page) => {
    await page.goto(`${site.gateway.url}/live?window=1m`)
    await page.locator('canvas[data-drawn]').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('kiosk')
    await page.keyboard.press('Enter')
    const leave = page.getByRole('button', { name: 'Leave kiosk mode' })
    await leave.waitFor()
    const asked = (name: string) => new URL(page.url()).searchParams.get(name)
    expect([asked('window'), asked('kiosk')]).toEqual(['1m', 'true'])
    await expect.poll(() => page.getByRole('navigation').count()).toBe(0)
    await expect.poll(() => page.getByText('API calls of this page').count()).toBe(0)
    await page.reload()
    await page.locator('canvas[data-drawn]').first().waitFor()
    await page.getByText('live', { exact: true }).waitFor()
    expect(await examineLooks(page, 'kiosk')).toEqual([])
    await leave.focus()
    await page.keyboard.press('Enter')
    await page.getByText('API calls of this page').waitFor()
    expect([asked('window'), asked('kiosk')]).toEqual(['1m', null])
  })
})
