import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inked, withPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { call, createNamespace } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { importRows } from '../gateway/rows.ts'

// What people do with a chart, in the browser that draws it: look, point, zoom, switch off, save.
let site: Site
let gateway: Gateway

beforeAll(async () => {
  site = await openSite()
  gateway = site.gateway
  await createNamespace(gateway, { name: 'ledger', storage: { engine: 'device', capacityBytes: 64 * 1024 * 1024 } })
  const rows = Array.from({ length: 500 }, (_, n) => ({ key: `k${n}`, text: 'x'.repeat(1000) }))
  await importRows(gateway, 'ledger', 'orders', rows)
  for (let n = 0; n < 50; n += 1) await call(gateway, 'GET', `/api/v1/namespaces/ledger/sets/orders/records/k${n}`)
})

afterAll(() => site.close())

const view = { viewport: { width: 1440, height: 900 } }

/** Chooses an action of a chart that saves a file, and answers its bytes. */
async function saved(page: Page, chart: Locator, title: string, as: 'PNG' | 'CSV'): Promise<Buffer> {
  const download = page.waitForEvent('download')
  await chart.getByRole('button', { name: `More for ${title}` }).click()
  await chart.getByRole('button', { name: `Save as ${as}` }).click()
  return readFileSync(await (await download).path())
}

async function explored(page: Page, title: string, series: string): Promise<void> {
  const chart = page.getByRole('region', { name: title, exact: true })
  await chart.scrollIntoViewIfNeeded()
  await expect.poll(() => inked(chart), { message: title }).toBeGreaterThan(300)
  const cursor = chart.getByRole('slider', { name: `Cursor of ${title}.` })
  const values = chart.locator('.tip')
  await cursor.hover({ position: { x: 20, y: 20 } })
  await values.waitFor()
  await page.mouse.move(0, 0)
  await expect.poll(() => values.count(), { message: title }).toBe(0)

  await cursor.focus()
  await cursor.press('ArrowLeft')
  await expect.poll(() => cursor.getAttribute('aria-valuetext')).toMatch(/^\d\d:\d\d:\d\d$/)
  await values.waitFor()
  const reset = chart.getByRole('button', { name: `Reset zoom of ${title}` })
  await cursor.press('+')
  await reset.click()
  await expect.poll(() => reset.count(), { message: title }).toBe(0)

  const entry = chart.getByRole('button', { name: series, exact: true })
  await entry.click()
  expect(await entry.getAttribute('aria-pressed')).toBe('false')
  const csv = (await saved(page, chart, title, 'CSV')).toString()
  expect(csv.split('\r\n')[0]).not.toContain(series)
  await entry.click()

  const table = chart.getByRole('button', { name: `Show ${title} as table` })
  await table.click()
  await chart.getByRole('columnheader', { name: series, exact: true }).waitFor()
  await chart.getByRole('button', { name: `Show ${title} as chart` }).click()
  await expect.poll(() => inked(chart), { message: title }).toBeGreaterThan(300)
  expect((await saved(page, chart, title, 'PNG')).subarray(1, 4).toString()).toBe('PNG')
}

test('the charts of Live are explored', async () => {
  await withPage(site, view, async (page) => {
    await page.goto(`${gateway.url}/live`)
    await explored(page, 'Latency', 'p50')
    await explored(page, 'Within target', '≤ 5 ms')
    await explored(page, 'Load', 'errors')
    expect(new URL(page.url()).pathname).toBe('/live')
  })
})

test('the charts of a device are explored, and share their crosshair', async () => {
  await withPage(site, view, async (page) => {
    await page.goto(`${gateway.url}/namespaces/ledger/device`)
    await explored(page, 'Throughput', 'write')
    await explored(page, 'Operations', 'syncs')
    await page.getByRole('slider', { name: 'Cursor of Throughput.' }).press('ArrowLeft')
    await expect.poll(() => page.locator('.crosshair').count()).toBe(8)
  })
})

test('charts are drawn by a worker of the same origin, and the wheel zooms only with a modifier', async () => {
  await withPage(site, view, async (page) => {
    const working = page.waitForEvent('worker')
    const answer = await page.goto(`${gateway.url}/live`)
    expect(new URL((await working).url()).origin).toBe(gateway.url)
    expect(answer?.headers()['content-security-policy']).toContain("worker-src 'self';")
    const chart = page.getByRole('region', { name: 'Load', exact: true })
    const reset = chart.getByRole('button', { name: 'Reset zoom of Load' })
    await chart.getByRole('slider').hover()
    await page.mouse.wheel(0, -100)
    expect(await reset.count()).toBe(0)
    await chart.getByRole('slider').hover()
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -100)
    await page.keyboard.up('Control')
    await reset.waitFor()
  })
})

test('another theme is drawn at once', async () => {
  await withPage(site, view, async (page) => {
    await page.goto(`${gateway.url}/namespaces/ledger/device`)
    const chart = page.getByRole('region', { name: 'Throughput', exact: true })
    await expect.poll(() => inked(chart)).toBeGreaterThan(300)
    const picture = (): Promise<string> =>
      chart.locator('canvas.chart').evaluate((canvas: HTMLCanvasElement) => {
        const copy = Object.assign(document.createElement('canvas'), { width: 60, height: 60 })
        copy.getContext('2d')?.drawImage(canvas, 0, 0)
        return copy.toDataURL()
      })
    const light = await picture()
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(picture).not.toBe(light)
  })
})
