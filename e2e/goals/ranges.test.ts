import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineLooks, hasFocus, inked, openPage, withPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { pick } from '../browser/pick.ts'
import { call, createNamespace } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { importRows } from '../gateway/rows.ts'

// The past on the page Live: long windows, views that an address keeps, percentiles, and comparisons.
const READS = 300
const windows = ['1 m', '5 m', '15 m', '1 h', '6 h', '24 h', '7 d', '30 d']
let site: Site
let gateway: Gateway
let runId: string

interface History {
  items: { seq: number; latency: { op: string; side: string; count: number }[] }[]
}

beforeAll(async () => {
  site = await openSite()
  gateway = site.gateway
  await createNamespace(gateway, { name: 'ledger', storage: { engine: 'device', capacityBytes: 64 * 1024 * 1024 } })
  await importRows(gateway, 'ledger', 'orders', [{ key: 'k', text: 'x'.repeat(1000) }])
  for (let n = 0; n < READS; n += 1) await call(gateway, 'GET', '/api/v1/namespaces/ledger/sets/orders/records/k')
  await createNamespace(gateway, { name: 'shop', storage: { engine: 'memory' } })
  const spec = { name: 'steady', namespace: 'shop', keys: 1000, threads: 2, targetTps: 2000, durationSeconds: 8 }
  const { id } = await call<{ id: string }>(gateway, 'POST', '/api/v1/workloads', { ...spec, fill: true })
  runId = id
})

afterAll(() => site.close())

async function readsInHistory(): Promise<number> {
  const path = '/api/v1/metrics/history?step=1s&namespace=ledger&op=get'
  const { items } = await call<History>(gateway, 'GET', path)
  const series = items.flatMap(({ latency }) => latency).filter(({ side }) => side === 'engine')
  return series.reduce((sum, { count }) => sum + count, 0)
}

/** The number of the newest second. */
async function newest(): Promise<number> {
  return (await call<History>(gateway, 'GET', '/api/v1/metrics/history?step=1s')).items.at(-1)?.seq ?? 0
}

const view = { viewport: { width: 1440, height: 900 } }
const selection = (page: Page) => page.getByRole('region', { name: 'Selection', exact: true })
const cursor = (page: Page) => page.getByRole('slider', { name: 'Cursor of Latency.' })

test('what was measured is in the history', async () => {
  await expect.poll(readsInHistory).toBe(READS)
  const ended = async (): Promise<unknown> =>
    (await call<{ result?: unknown }>(gateway, 'GET', `/api/v1/workloads/${runId}`)).result
  await expect.poll(ended).toBeDefined()
})

test('each window shows the same operations, and long ones have days', async () => {
  await withPage(site, view, async (page) => {
    await page.goto(`${gateway.url}/live?ns=ledger&op=get`)
    const count = selection(page).getByRole('row', { name: /^n / })
    for (const name of windows.slice(2)) {
      await page.getByRole('radio', { name, exact: true }).check()
      await expect.poll(() => count.textContent(), { message: name }).toContain(String(READS))
      await expect.poll(() => inked(page.getByRole('region', { name: 'Latency', exact: true }))).toBeGreaterThan(300)
    }
    expect(page.url()).toContain('window=30d')
    await page.getByRole('button', { name: 'Show Load as table' }).click()
    const rows = page.getByRole('region', { name: 'Load', exact: true }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(1 + 240)
    const today = await page.evaluate(() =>
      new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }).format(),
    )
    await expect.poll(() => rows.nth(1).textContent()).toContain(today)
  })
})

test('a range chosen on one page is that of all pages, and the way back shows what was there', async () => {
  await withPage(site, view, async (page) => {
    const chosen = (name: string) => page.getByRole('radio', { name, exact: true }).and(page.locator(':checked'))
    const go = (name: string) =>
      page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
    await page.goto(gateway.url)
    await page.getByRole('radio', { name: '1 h', exact: true }).check()
    await page.waitForURL(/window=1h/)
    await go('Live')
    await page.waitForURL(/live.*window=1h/)
    await chosen('1 h').waitFor()
    await page.getByRole('radio', { name: '24 h', exact: true }).check()
    await go('Jobs')
    await page.waitForURL(/jobs.*window=24h/)
    await page.keyboard.press('g')
    await page.keyboard.press('n')
    await page.getByRole('link', { name: 'ledger', exact: true }).first().click()
    await page.getByRole('link', { name: 'Device', exact: true }).click()
    await page.waitForURL(/device.*window=24h/)
    await chosen('24 h').waitFor()
    await go('Overview')
    await page.getByRole('img', { name: 'p99 read, last 24 hours' }).waitFor()
    for (let back = 0; back < 6 && !/live/.test(page.url()); back += 1) await page.goBack()
    await chosen('24 h').waitFor()
    await page.goBack()
    await page.getByRole('img', { name: 'p99 read, last 1 hour' }).waitFor()
    await page.goForward()
    await chosen('24 h').waitFor()
    await expect.poll(() => page.url()).toMatch(/live.*window=24h/)
  })
})

test('a long window asks the history for its columns, and not again each second', async () => {
  await withPage(site, view, async (page) => {
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.endsWith('/metrics/history')) asked.push(searchParams.get('step') ?? '')
    })
    await page.goto(`${gateway.url}/live?window=7d`)
    await expect.poll(() => asked.filter((step) => step === '3600s').length).toBe(2)
    const frames = await newest()
    await expect.poll(newest).toBeGreaterThan(frames + 3)
    expect(asked.filter((step) => step === '3600s').length).toBe(2)
  })
})

test('selection, zoom and series are in the address at once, and a reload brings them back', async () => {
  await withPage(site, view, async (page) => {
    await page.goto(`${gateway.url}/live?window=1h`)
    await page.getByRole('button', { name: 'p99.9', exact: true }).click()
    await cursor(page).focus()
    await cursor(page).press('Alt+ArrowLeft')
    await cursor(page).press('Alt+Shift+ArrowLeft')
    await cursor(page).press('+')
    await page.waitForURL(/latency\.hide=p99\.9/)
    await page.waitForURL(/latency\.select=\d+\.\.\d+/)
    await page.waitForURL(/latency\.zoom=\d+\.\.\d+/)
    const selected = await selection(page).locator('.aside').textContent()
    expect(selected).toMatch(/^\d\d:\d\d:\d\d – \d\d:\d\d:\d\d$/)
    await page.getByRole('radio', { name: 'gateway' }).check()
    await page.waitForURL(/side=gateway.*#.*latency\.select/)
    await page.reload()
    await expect.poll(() => selection(page).locator('.aside').textContent()).toBe(selected)
    const hidden = page.getByRole('button', { name: 'p99.9', exact: true })
    await expect.poll(() => hidden.getAttribute('aria-pressed')).toBe('false')
    await page.getByRole('button', { name: 'Reset zoom of Latency' }).click()
    await selection(page).getByRole('button', { name: 'Clear' }).click()
    await hidden.click()
    await expect.poll(() => new URL(page.url()).hash).toBe('')
  })
})

test('a selection that the window does not hold is read from the history', async () => {
  await withPage(site, view, async (page) => {
    const [from, to] = [Date.now() - 1_800_000, Date.now()]
    await page.goto(`${gateway.url}/live?ns=ledger&op=get&window=1m#latency.select=${from}..${to}`)
    await expect.poll(() => selection(page).getByRole('row', { name: /^n / }).textContent()).toContain(String(READS))
    const percentiles = page.getByRole('region', { name: 'Percentiles', exact: true })
    await expect.poll(() => inked(percentiles)).toBeGreaterThan(300)
  })
})

test('percentiles have a table with the bounds of what was measured', async () => {
  await withPage(site, view, async (page) => {
    await page.goto(`${gateway.url}/live?ns=ledger&op=get&window=1h`)
    const chart = page.getByRole('region', { name: 'Percentiles', exact: true })
    await expect.poll(() => inked(chart)).toBeGreaterThan(300)
    await page.getByRole('button', { name: 'Show Percentiles as table' }).click()
    const head = await chart.getByRole('columnheader').allTextContents()
    expect(head).toEqual(['quantile', 'selection', 'selection, at least', 'selection, at most'])
    const rows = await chart.getByRole('row').allTextContents()
    expect(rows.some((row) => row.startsWith('p50'))).toBe(true)
    // 300 operations have no p99.9.
    expect(rows.some((row) => row.startsWith('p99.9'))).toBe(false)
  })
})

test('a span is compared with others and with a run, in an address that can be sent', async () => {
  await withPage(site, view, async (page) => {
    await page.goto(`${gateway.url}/live?ns=shop&window=15m`)
    const card = page.getByRole('region', { name: 'Compare', exact: true })
    const choice = card.getByLabel('Compare with')
    await choice.focus()
    await choice.press('ArrowDown')
    // Nothing was measured before.
    await card.getByRole('row', { name: /^p50 .*cannot tell/ }).waitFor()
    expect([await choice.inputValue(), await hasFocus(choice)]).toEqual(['before', true])
    await card.getByRole('button', { name: 'Pin' }).click()
    await page.waitForURL(/with=\d+\.\.\d+/)
    await pick(choice, `run:${runId}`)
    await card.getByRole('row', { name: /^rate / }).waitFor()
    await page.waitForURL(new RegExp(`with=run%3A${runId}`))
    const chart = page.getByRole('region', { name: 'Percentiles', exact: true })
    await page.getByRole('button', { name: 'Show Percentiles as table' }).click()
    const head = (await chart.getByRole('columnheader').allTextContents()).join()
    expect(head).toContain('steady')
    await page.reload()
    await card.getByRole('row', { name: /^p50 / }).waitFor()
    await expect.poll(() => choice.inputValue()).toBe(`run:${runId}`)
  })
})

test('windows, comparison and run read well', async () => {
  await withPage(site, view, async (page) => {
    const pages = [
      ['live-30d', '/live?window=30d'],
      ['live-compare', `/live?ns=shop&window=15m&with=run%3A${runId}`],
      ['device-24h', '/namespaces/ledger/device?window=24h'],
      ['run', `/benchmarks/${runId}`],
    ] as const
    for (const [name, path] of pages) {
      await page.goto(gateway.url + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
      expect(await examineLooks(page, `ranges-${name}`)).toEqual([])
    }
  })
})

test('no two chips of events overlap, on a wide screen and on a narrow one', async () => {
  const from = Date.now() - 500
  const names = ['a', 'bb', 'orders-of-the-year', 'c', 'd', 'users', 'e']
  for (const name of names) {
    await createNamespace(gateway, { name, storage: { engine: 'memory' } })
    const before = await newest()
    await expect.poll(newest).toBeGreaterThan(before)
  }
  const zoom = `latency.zoom=${from}..${Date.now() + 500}`
  for (const [width, least] of [
    [1440, 3],
    [390, 1],
  ] as const) {
    await withPage(site, { viewport: { width, height: 900 } }, async (page) => {
      await page.goto(`${gateway.url}/live?window=15m#${zoom}`)
      const boxes = () =>
        page
          .locator('.events .chip')
          .evaluateAll((all) =>
            all.map((chip) => chip.getBoundingClientRect()).map(({ left, right }) => ({ left, right })),
          )
      // Those of a chart that is drawn anew have no place for a moment.
      const placed = async () => {
        const all = await boxes()
        return all.every(({ left, right }) => right > left) ? all : []
      }
      const seen: Awaited<ReturnType<typeof placed>>[] = []
      await expect.poll(async () => seen[seen.push(await placed()) - 1]?.length).toBeGreaterThanOrEqual(least)
      const sorted = (seen.at(-1) ?? []).toSorted((a, b) => a.left - b.left)
      for (const [index, { left }] of sorted.entries()) expect(left).toBeGreaterThan(sorted[index - 1]?.right ?? 0)
      expect(sorted.at(-1)?.right).toBeLessThanOrEqual(width)
    })
  }
})

/** Live, zoomed to a second on each side of a time, so that an event has a chip of its own. */
const liveAt = (timeMs: number): string =>
  `${gateway.url}/live?window=15m#latency.zoom=${timeMs - 1000}..${timeMs + 1000}`

test('a chip leads to its job, from Live and from a chart of its namespace, with the keyboard too', async () => {
  const { endedAt = '' } = await call<{ endedAt?: string }>(gateway, 'GET', `/api/v1/workloads/${runId}`)
  const dialog = (page: Page) => page.getByRole('dialog', { name: 'Workload steady', exact: true })
  await withPage(site, view, async (page) => {
    await page.goto(liveAt(Date.parse(endedAt)))
    await page.getByRole('link', { name: 'Workload steady: done' }).click()
    await page.waitForURL(/\/jobs\?.*id=/)
    await dialog(page).getByText(runId, { exact: true }).waitFor()

    // The events of an hour are so near that they share a chip.
    await page.goto(`${gateway.url}/namespaces/shop?window=1h`)
    const chip = page.getByRole('region', { name: 'Growth', exact: true }).locator('.events .chip').last()
    await chip.focus()
    await page.keyboard.press('Enter')
    const told = page.getByRole('menuitem')
    await told.filter({ hasText: 'namespace shop created' }).waitFor()
    expect(await told.filter({ hasText: 'ledger' }).count()).toBe(0)
    const ended = told.filter({ hasText: 'Workload steady: done' })
    for (let step = 0; step < 12 && !(await hasFocus(ended)); step += 1) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/jobs\?.*id=/)
    await dialog(page).getByText(runId, { exact: true }).waitFor()
  })
})

test('a chip of a change leads to its entry in the audit log', async () => {
  await createNamespace(gateway, { name: 'chips', storage: { engine: 'memory' } })
  const createdMs = Date.now()
  await withPage(site, view, async (page) => {
    await page.goto(liveAt(createdMs))
    const chip = page.getByRole('link', { name: 'namespace chips created' })
    await chip.focus()
    await chip.press('Enter')
    await page.waitForURL(/\/audit\?.*at=\d+/)
    const entry = page.locator('tr[aria-current=true]')
    await expect.poll(() => entry.textContent()).toMatch(/createNamespace.*chips/)
    await page.getByRole('button', { name: 'Show every entry' }).click()
    await expect.poll(() => entry.count()).toBe(0)
  })
})

test('what the stream brings is dimmed when the stream is lost', async () => {
  const { page } = await openPage(site)
  await page.goto(`${gateway.url}/live`)
  await page.getByText('live', { exact: true }).waitFor()
  await expect.poll(() => page.locator('.stale').count()).toBe(0)
  await gateway.stop('SIGKILL')
  await page.locator('.stale').getByRole('region', { name: 'Latency', exact: true }).waitFor()
  await page.locator('.stale').getByRole('region', { name: 'Selection', exact: true }).waitFor()
  await page.context().close()
})
