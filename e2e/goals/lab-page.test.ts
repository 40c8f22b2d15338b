import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineLooks, inked, withPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { call } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { expectPageSize, expectSegments, expectSetIndex, expectTps, type Report } from '../gateway/lab-reports.ts'
import { scale } from '../gateway/lab-scale.ts'
import { isLong } from '../gateway/long.ts'

let site: Site
let gateway: Gateway

beforeAll(async () => {
  site = await openSite()
  gateway = site.gateway
})

afterAll(() => site.close())

/** Longest wait for the end of an experiment, ms. */
const ENDED = 240_000

/** From now on the page's runs are as large as the goals ask for. */
async function scaled(page: Page): Promise<void> {
  if (scale === 'quick') return
  await page.route('**/api/v1/lab', async (route) => {
    const request = route.request()
    if (request.method() !== 'POST') return route.continue()
    return route.continue({ postData: { ...(request.postDataJSON() as object), scale } })
  })
}

/** What the newest run reports. */
async function newest(): Promise<Report> {
  const [run] = (await call<{ items: { report?: Report }[] }>(gateway, 'GET', '/api/v1/lab/runs')).items
  if (run?.report === undefined) throw new Error(`no report: ${JSON.stringify(run)}`)
  return run.report
}

test('tps is aborted, then run to its report, on its page', async () => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await page.goto(`${gateway.url}/lab?experiment=tps`)
    const published = page.getByRole('region', { name: 'Table: Published' })
    await published.getByText('1,124,875').waitFor()
    const run = page.getByRole('button', { name: 'Run here' })
    await run.click()
    await page.getByText(/1k, relaxed: /).waitFor()
    await page.getByRole('button', { name: 'Abort' }).click()
    await expect.poll(() => run.isEnabled()).toBe(true)
    expect(await call(gateway, 'GET', '/api/v1/namespaces')).toMatchObject({ items: [] })
    await scaled(page)
    await run.click()
    const measured = page.getByRole('region', { name: 'Table: Measured' })
    await measured.getByRole('cell', { name: '4k' }).waitFor({ timeout: ENDED })
    await measured.getByRole('columnheader', { name: 'steady attempts' }).waitFor()
    const claims = page.getByRole('region', { name: 'Table: Claims' })
    await expect.poll(() => claims.getByText(/holds|does not hold/).count()).toBe(5)
    expectTps(await newest())
  })
})

test('set-index is aborted, then run to its charts, on its page', async () => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await page.goto(`${gateway.url}/lab`)
    await page.getByRole('link', { name: 'Set index performance' }).click()
    const said = page.getByRole('region', { name: 'Table: Published and measured' })
    await expect.poll(() => said.getByText('not measured yet').count()).toBe(6)
    const run = page.getByRole('button', { name: 'Run here' })
    await run.click()
    await page
      .getByText(/memory, A: /)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Abort' }).click()
    await expect.poll(() => run.isEnabled()).toBe(true)
    expect(await call(gateway, 'GET', '/api/v1/namespaces')).toMatchObject({ items: [] })
    await scaled(page)
    await run.click()
    const claims = page.getByRole('region', { name: 'Table: Claims' })
    await claims.getByRole('row').first().waitFor({ timeout: ENDED })
    await expect.poll(() => claims.getByText(/holds|does not hold/).count()).toBe(9)
    await expect.poll(() => said.getByText(/holds|does not hold/).count()).toBe(6)
    expectSetIndex(await newest())
    for (const name of ['Records in memory', 'Records on a device']) {
      const chart = page.getByRole('region', { name })
      await expect.poll(() => inked(chart)).toBeGreaterThan(500)
      const cursor = chart.getByRole('slider', { name: `Cursor of ${name}` })
      await cursor.hover()
      const [shown, hovered] = [chart.locator('.tip dt'), chart.locator('.tip dd')]
      await expect
        .poll(() => shown.allTextContents())
        .toEqual(['4 threads, index on', '4 threads, index off', '128 threads, index on', '128 threads, index off'])
      const records = await chart.locator('.tip > div').first().textContent()
      const times = await hovered.allTextContents()
      for (const time of times) expect(time).toMatch(/^[\d.]+ (µs|ms|s)$/)
      const width = (await chart.locator('canvas').boundingBox())?.width ?? 0
      const saved = page.waitForEvent('download')
      await chart.getByRole('button', { name: `More for ${name}` }).click()
      await chart.getByRole('menuitem', { name: 'Save as PNG' }).click()
      const bytes = readFileSync(await (await saved).path())
      expect(bytes.subarray(1, 4).toString()).toBe('PNG')
      // Twice as wide as the drawing.
      expect(bytes.readUInt32BE(16)).toBe(2 * Math.floor(width))
      await chart.getByRole('button', { name: '4 threads, index off' }).click()
      await chart.getByRole('button', { name: `Show ${name} as table` }).click()
      const row = chart
        .getByRole('row')
        .filter({ has: page.getByRole('cell', { name: records ?? '', exact: true }) })
        .first()
      for (const time of times.toSpliced(1, 1)) await row.getByRole('cell', { name: time }).first().waitFor()
      await expect.poll(() => chart.getByRole('columnheader', { name: '4 threads, index off' }).count()).toBe(0)
      await chart.getByRole('button', { name: `Show ${name} as chart` }).click()
    }
    const memory = page.getByRole('region', { name: 'Records in memory' })
    // As in a browser without canvases for workers, and whose canvas is too small for the image: the page draws.
    await page.evaluate(() => {
      Reflect.deleteProperty(globalThis, 'OffscreenCanvas')
      HTMLCanvasElement.prototype.toBlob = (done) => done(null)
    })
    await memory.getByRole('button', { name: 'Show Records in memory as table' }).click()
    await memory.getByRole('button', { name: 'Show Records in memory as chart' }).click()
    await expect.poll(() => inked(memory)).toBeGreaterThan(500)
    await memory.getByRole('button', { name: 'More for Records in memory' }).click()
    await memory.getByRole('menuitem', { name: 'Save as PNG' }).click()
    await memory.getByRole('alert').getByText('the image is too large').waitFor()
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    expect((await file).suggestedFilename()).toMatch(/^set-index-.*\.csv$/)
  })
})

test('page-size is aborted on its page', async () => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await page.goto(`${gateway.url}/lab?experiment=page-size`)
    await page.getByRole('region', { name: 'Table: Published' }).getByText('30,327').waitFor()
    const said = page.getByRole('region', { name: 'Table: Published and measured' })
    await expect.poll(() => said.getByText('not measured yet').count()).toBe(4)
    const run = page.getByRole('button', { name: 'Run here' })
    await run.click()
    await page.getByText(/16 KiB: /).waitFor()
    await page.getByRole('button', { name: 'Abort' }).click()
    await expect.poll(() => run.isEnabled()).toBe(true)
    expect(await call(gateway, 'GET', '/api/v1/namespaces')).toMatchObject({ items: [] })
  })
})

// The tests of the server run it to its end, and `every-chart.test.ts` shows its report.
test.skipIf(!isLong)('page-size is run to its charts, on its page', async () => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await page.goto(`${gateway.url}/lab?experiment=page-size`)
    const said = page.getByRole('region', { name: 'Table: Published and measured' })
    await scaled(page)
    await page.getByRole('button', { name: 'Run here' }).click()
    const claims = page.getByRole('region', { name: 'Table: Claims' })
    await claims.getByRole('row').first().waitFor({ timeout: ENDED })
    await expect.poll(() => claims.getByText(/holds|does not hold/).count()).toBe(8)
    await expect.poll(() => said.getByText(/holds|does not hold/).count()).toBe(8)
    expectPageSize(await newest())
    const measured = page.getByRole('region', { name: 'Table: Measured' })
    await measured.getByRole('columnheader', { name: 'pages read/op' }).waitFor()
    await measured.getByRole('cell', { name: '16.0 KiB' }).first().waitFor()
    for (const [name, series] of [
      ['Throughput by phase', '64 KiB'],
      ['Gain of small pages', 'published'],
      ['Slow operations', '16 KiB'],
    ] as const) {
      const chart = page.getByRole('region', { name })
      await chart.getByRole('button', { name: `Show ${name} as table` }).click()
      await chart.getByRole('columnheader', { name: series }).waitFor()
      for (const phase of ['load', '50/50', '95/5', 'read only']) await chart.getByText(phase).first().waitFor()
    }
  })
})

test('segments is run to its chart on its page', async () => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await page.goto(`${gateway.url}/lab?experiment=segments`)
    await page.getByRole('region', { name: 'Table: Published' }).getByText('5 to 12% faster', { exact: true }).waitFor()
    await scaled(page)
    await page.getByRole('button', { name: 'Run here' }).click()
    const claims = page.getByRole('region', { name: 'Table: Claims' })
    await claims.getByRole('row').first().waitFor({ timeout: ENDED })
    await expect.poll(() => claims.getByText(/holds|does not hold/).count()).toBe(4)
    expectSegments(await newest())
    const chart = page.getByRole('region', { name: 'Segmented against flat' })
    for (const words of ['almost three times as fast', '5 to 12% faster', 'within 1%'])
      await chart.getByText(`published: ${words}`).first().waitFor()
    await expect.poll(() => chart.getByText(/× here, half of \d+ pairs from [\d.]+× to [\d.]+×/).count()).toBe(4)
  })
})

test('both figures side by side', async () => {
  await withPage(site, {}, async (page) => {
    for (const experiment of ['segments', 'set-index', 'tps', ...(isLong ? ['page-size'] : [])]) {
      await page.goto(`${gateway.url}/lab?experiment=${experiment}`)
      await page.getByRole('region', { name: 'Table: Measured' }).waitFor()
      expect(await examineLooks(page, `lab-${experiment}`), experiment).toEqual([])
    }
  })
})
