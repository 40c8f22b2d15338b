import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { complaints, examine, launch, logIn, type Session, type Theme } from '../browser/browser.ts'
import { call } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

const home = newHome()
let gateway: Gateway
let browser: Browser
let session: Session

beforeAll(async () => {
  gateway = await startGateway(home)
  browser = await launch()
  session = await logIn(browser, gateway)
})

afterAll(async () => {
  await browser.close()
  await gateway.stop()
  removeHome(home)
})

test('an experiment is aborted, then run to its report, on its page', async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, storageState: session })
  const heard = complaints(context)
  const page = await context.newPage()
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
  expect(
    await page
      .getByRole('region', { name: 'Table: Claims' })
      .getByText(/holds|does not hold/)
      .count(),
  ).toBe(5)
  expect(heard).toEqual([])
  await context.close()
})

describe.each([1440, 390])('%i pixels wide', (width) => {
  test.each<Theme>(['light', 'dark'])('%s: both figures side by side', async (theme) => {
    const viewport = { width, height: 900 }
    const context = await browser.newContext({ viewport, colorScheme: theme, storageState: session })
    const heard = complaints(context)
    const page = await context.newPage()
    await page.goto(`${gateway.url}/lab`)
    await page.getByRole('region', { name: 'Table: Measured' }).waitFor()
    expect(await examine(page, `lab-report-${width}-${theme}`)).toEqual([])
    expect(heard).toEqual([])
    await context.close()
  })
})
