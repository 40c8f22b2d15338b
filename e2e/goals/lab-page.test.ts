import { afterAll, beforeAll, expect, test } from 'vitest'
import { examine, looks, withPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { call } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'

let site: Site
let gateway: Gateway

beforeAll(async () => {
  site = await openSite()
  gateway = site.gateway
})

afterAll(() => site.close())

test('an experiment is aborted, then run to its report, on its page', async () => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await page.goto(`${gateway.url}/lab`)
    const published = page.getByRole('region', { name: 'Table: Published' })
    await published.getByText('1,124,875').waitFor()
    const run = page.getByRole('button', { name: 'Run here' })
    await run.click()
    await page.getByText(/1k, relaxed: writing/).waitFor()
    await page.getByRole('button', { name: 'Abort' }).click()
    await expect.poll(() => run.isEnabled(), { timeout: 30_000 }).toBe(true)
    expect(await call(gateway, 'GET', '/api/v1/namespaces')).toMatchObject({ items: [] })
    await run.click()
    const measured = page.getByRole('region', { name: 'Table: Measured' })
    await measured.getByRole('cell', { name: '4k' }).waitFor({ timeout: 120_000 })
    await measured.getByRole('columnheader', { name: 'steady attempts' }).waitFor()
    expect(
      await page
        .getByRole('region', { name: 'Table: Claims' })
        .getByText(/holds|does not hold/)
        .count(),
    ).toBe(5)
  })
})

test.each(looks)('%s: both figures side by side', async (look, view) => {
  await withPage(site, view, async (page) => {
    await page.goto(`${gateway.url}/lab`)
    await page.getByRole('region', { name: 'Table: Measured' }).waitFor()
    expect(await examine(page, `lab-report-${look}`)).toEqual([])
  })
})
