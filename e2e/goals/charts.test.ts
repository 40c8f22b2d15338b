import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examine, inked, withPage } from '../browser/browser.ts'
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

test('charts of the same times share their crosshair', async () => {
  await withPage(site, view, async (page) => {
    await page.goto(`${gateway.url}/namespaces/ledger/device`)
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
    await expect.poll(() => reset.count()).toBe(0)
    await chart.getByRole('slider').hover()
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -100)
    await page.keyboard.up('Control')
    await reset.waitFor()
  })
})

test('values beside the cursor stay inside of the plot in a narrow window', async () => {
  await withPage(site, { viewport: { width: 390, height: 900 } }, async (page) => {
    await page.goto(`${gateway.url}/namespaces/ledger/device`)
    const cursor = page.getByRole('slider', { name: 'Cursor of Device latency.' })
    await cursor.scrollIntoViewIfNeeded()
    const { x, y, width, height } = (await cursor.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const beyond: number[] = []
    for (let part = 1; part < 20; part += 1) {
      await page.mouse.move(x + (width * part) / 20, y + height / 2)
      const tip = await page.locator('.tip').boundingBox()
      if (tip !== null) beyond.push(Math.max(x - tip.x, tip.x + tip.width - x - width))
    }
    expect(beyond).toHaveLength(19)
    expect(Math.max(...beyond)).toBeLessThanOrEqual(0.5)
  })
})

/** The first pixels of a chart, which have the labels of its axis, as text. */
const pictureOf = (chart: Locator): Promise<string> =>
  chart.locator('canvas.chart').evaluate((canvas: HTMLCanvasElement) => {
    const copy = Object.assign(document.createElement('canvas'), { width: 60, height: 60 })
    copy.getContext('2d')?.drawImage(canvas, 0, 0)
    return copy.toDataURL()
  })

/** How bright the labels of a chart's axis are, 0 to 255: the mean of what is drawn, by its opacity. */
const brightnessOf = (chart: Locator): Promise<number> =>
  chart.locator('canvas.chart').evaluate((canvas: HTMLCanvasElement) => {
    const copy = Object.assign(document.createElement('canvas'), { width: 55, height: canvas.height })
    const context = copy.getContext('2d')
    context?.drawImage(canvas, 0, 0)
    const { data = [] } = context?.getImageData(0, 0, copy.width, copy.height) ?? {}
    let [sum, weight] = [0, 0]
    for (let at = 0; at < data.length; at += 4) {
      const opacity = data[at + 3] ?? 0
      sum += (((data[at] ?? 0) + (data[at + 1] ?? 0) + (data[at + 2] ?? 0)) / 3) * opacity
      weight += opacity
    }
    return sum / weight
  })

const throughput = (page: Page): Locator => page.getByRole('region', { name: 'Throughput', exact: true })

/** The states of the pictures of all charts of a page. */
const pictures = (page: Page): Promise<(string | undefined)[]> =>
  page.locator('canvas.chart').evaluateAll((all) => all.map((one) => (one as HTMLCanvasElement).dataset['drawn']))

async function openDevice(page: Page): Promise<Locator> {
  await page.goto(`${gateway.url}/namespaces/ledger/device`)
  const chart = throughput(page)
  await expect.poll(() => inked(chart)).toBeGreaterThan(300)
  return chart
}

test('another theme is drawn at once', async () => {
  await withPage(site, view, async (page) => {
    const chart = await openDevice(page)
    const light = await pictureOf(chart)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => brightnessOf(chart)).toBeGreaterThan(128)
    expect(await pictureOf(chart)).not.toBe(light)
  })
})

test('from a dark screen every chart is printed in the colours of paper, also one that was never in view', async () => {
  await withPage(site, { ...view, colorScheme: 'dark' }, async (page) => {
    const chart = await openDevice(page)
    expect(await brightnessOf(chart)).toBeGreaterThan(128)
    await page.evaluate(() => {
      // What a browser would put on paper now.
      window.print = () => {
        const all = [...document.querySelectorAll<HTMLCanvasElement>('canvas.chart')]
        document.title = all.map(({ dataset }) => dataset['drawn']).join(' ')
      }
    })
    // A page is printed as it is if its charts take seconds, as they may beside other work. It is then printed again.
    const printed = async (): Promise<string> => {
      await page.evaluate(() => (document.title = ''))
      await page.keyboard.press('Control+p')
      await expect.poll(() => page.title()).not.toBe('')
      return page.title()
    }
    await expect.poll(printed).toBe(Array.from({ length: 8 }, () => 'paper').join(' '))
    // Back on the screen, those in view are dark again.
    await expect.poll(() => brightnessOf(chart)).toBeGreaterThan(128)

    // The menu of the browser waits for no drawing: a dark picture is inverted until then.
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
    const { filter, background } = await chart.locator('canvas.chart').evaluate((canvas: HTMLCanvasElement) => {
      canvas.dataset['drawn'] = 'dark'
      return { filter: getComputedStyle(canvas).filter, background: getComputedStyle(document.body).backgroundColor }
    })
    expect([filter, background]).toEqual(['invert(1) hue-rotate(180deg)', 'rgb(255, 255, 255)'])
    await expect.poll(() => pictures(page)).toEqual(Array.from({ length: 8 }, () => 'paper'))
    await expect.poll(() => brightnessOf(chart)).toBeLessThan(128)
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(false)
    expect(await chart.getByText('bytes per second').isVisible()).toBe(true)
    // Nobody can scroll paper sideways: a table has all its columns on a sheet of A4.
    await page.setViewportSize({ width: 718, height: 1000 })
    const table = await page.getByRole('table', { name: 'Disks' }).boundingBox()
    expect((table?.x ?? 0) + (table?.width ?? Infinity)).toBeLessThanOrEqual(718)
    await page.emulateMedia({ media: null })
  })
})

test('with more contrast a chart is darker, and with forced colours it has the reader’s', async () => {
  await withPage(site, view, async (page) => {
    const chart = await openDevice(page)
    const brightness = await brightnessOf(chart)
    await page.emulateMedia({ contrast: 'more' })
    await expect.poll(() => brightnessOf(chart)).toBeLessThan(brightness - 20)
    const faults = await examine(page, 'chart-contrast-light')

    await page.emulateMedia({ contrast: null, forcedColors: 'active', colorScheme: 'dark' })
    const cursor = chart.getByRole('slider')
    await cursor.press('ArrowLeft')
    // Black on white, or white on black, as the reader's Canvas is: the browser may give either, and later the other.
    const colours = (): Promise<string[]> =>
      chart
        .locator('.crosshair')
        .evaluate((line) => [document.body, line].map((one) => getComputedStyle(one).backgroundColor))
    await expect
      .poll(async () => [...(await colours()), (await brightnessOf(chart)) > 200].join(' '))
      .toMatch(/^(rgb\(0, 0, 0\) rgb\(255, 255, 255\) true|rgb\(255, 255, 255\) rgb\(0, 0, 0\) false)$/)
    faults.push(...(await examine(page, 'chart-forced-colours')))
    expect(faults).toEqual([])
    await page.emulateMedia({ forcedColors: null, colorScheme: null })
  })
})
