import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examine, examineLooks, hasFocus, openPage, withPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { pick } from '../browser/pick.ts'
import { call, createNamespace } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { importRows } from '../gateway/rows.ts'

// A flat namespace that shares its segments with other nodes is created in the console; its map is walked, coloured and opened.

interface Segment {
  segment: number
  records: number
  owners?: number[]
}

let site: Site
let gateway: Gateway
let page: Page
let heard: string[]

beforeAll(async () => {
  site = await openSite()
  gateway = site.gateway
  ;({ page, heard } = await openPage(site))
})

afterAll(() => site.close())

function* rows(count: number): Generator<unknown> {
  for (let n = 0; n < count; n += 1) yield { key: `row-${n}`, n }
}

const segments = async (): Promise<Segment[]> =>
  (await call<{ items: Segment[] }>(gateway, 'GET', '/api/v1/namespaces/grid/segments?limit=4096')).items
const tile = (name: string) =>
  page
    .locator('.tile')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('strong')
const map = () => page.getByRole('slider', { name: /^Segment map by/ })

test('a flat namespace with ownership is created from the form; what is refused is shown at its field', async () => {
  await page.goto(`${gateway.url}/namespaces/new`)
  await page.getByLabel('Name', { exact: true }).fill('grid')
  await pick(page.getByLabel('Segments', { exact: true }), '16')
  await page.getByRole('radio', { name: /^flat/ }).check()
  await page.getByRole('checkbox', { name: /^Ownership/ }).check()
  await page.getByLabel('Nodes', { exact: true }).fill('3')
  await page.getByLabel('Owners', { exact: true }).fill('2')
  await page.getByLabel('This node', { exact: true }).fill('3')
  await page.getByRole('button', { name: 'Create namespace' }).click()
  await page.getByText('0 to 2, a node number').waitFor()
  await page.getByLabel('This node', { exact: true }).fill('1')
  await page.getByLabel('Nodes', { exact: true }).fill('5000')
  await page.getByRole('button', { name: 'Create namespace' }).click()
  await expect.poll(() => page.getByLabel('Nodes', { exact: true }).getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Nodes', { exact: true }).fill('3')
  await page
    .getByLabel('The same call with curl')
    .getByText('"container":"flat","ownership":{"nodes":3,"owners":2,"self":1}')
    .waitFor()
  expect(await examine(page, 'namespace-new-flat')).toEqual([])
  await page.getByRole('button', { name: 'Create namespace' }).click()
  await page.waitForURL('**/namespaces/grid')
  await page.locator('.badge').getByText('flat', { exact: true }).waitFor()
  const { config } = await call<{ config: object }>(gateway, 'GET', '/api/v1/namespaces/grid')
  expect(config).toMatchObject({ container: 'flat', ownership: { nodes: 3, owners: 2, self: 1 }, segments: 16 })
})

test('its map tells owners and records, and opens the records of a segment', async () => {
  await importRows(gateway, 'grid', 'rows', rows(3000))
  await page.getByRole('link', { name: 'Segments' }).click()
  const items = await segments()
  const primary = items.filter(({ owners }) => owners?.[0] === 1).length
  await page.getByText('The container is flat').waitFor()
  await expect.poll(() => tile('Primary here').textContent()).toBe(String(primary))
  await expect.poll(() => tile('Records').textContent()).toBe('3,000')
  await map().click({ position: { x: 5, y: 5 } })
  const [first] = items
  const card = page.getByRole('region', { name: 'Records of segment 0' })
  await card.getByText(`first 50 of ${first?.records} records`).waitFor()
  await card.getByText(`(nodes ${first?.owners?.join(', ')}), ${first?.records} records`).waitFor()
  await card.getByRole('button', { name: '50 more' }).click()
  await card.getByText(`first 100 of ${first?.records} records`).waitFor()
  expect(await examine(page, 'segment-records')).toEqual([])
  await card.getByRole('row').nth(1).getByRole('button').click()
  const dialog = page.getByRole('dialog')
  const { segment, key } = await placeOf(await dialog.getByLabel('Record as JSON').textContent())
  expect(segment).toBe(0)
  await dialog.getByRole('link', { name: 'Open in Records' }).click()
  await page.waitForURL((url) => url.pathname === '/records' && url.searchParams.get('key') === key)
  // Before it is shown, the way back would find the page with its dialog as it was.
  await page.locator('h1').getByText('Records', { exact: true }).waitFor()
  await page.goBack()
  await card.getByText(/^first (50|100) of/).waitFor()
})

/** Which of 16 segments a record that is shown is in, by its digest. */
async function placeOf(text: string | null): Promise<{ segment: number; key: string }> {
  const { digest, key } = JSON.parse(text ?? '') as { digest: string; key: string }
  return { segment: Number.parseInt(digest.slice(0, 2), 16) % 16, key }
}

test('the map is walked, opened and coloured by the keyboard', async () => {
  await page.goto(`${gateway.url}/namespaces/grid/segments`)
  await map().focus()
  await expect.poll(() => map().getAttribute('aria-label')).toMatch(/^Segment map by owner;/)
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => map().getAttribute('aria-valuetext')).toMatch(/^segment 14: /)
  await page.keyboard.press('Enter')
  const fourteenth = page.getByRole('region', { name: 'Records of segment 14' })
  await fourteenth.waitFor()
  await expect.poll(() => hasFocus(fourteenth)).toBe(true)
  await expect.poll(() => new URL(page.url()).searchParams.get('segment')).toBe('14')
  await page.getByRole('radio', { name: 'Owner' }).focus()
  for (const [measure, legend] of [
    ['primary', 'node 1, this one'],
    ['records', 'segments with none are grey'],
    ['bytes', 'live bytes stored here'],
    ['heat', 'σ of mean'],
  ] as const) {
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => map().getAttribute('aria-label')).toMatch(new RegExp(`^Segment map by ${measure};`))
    await page.getByText(legend).first().waitFor()
  }
  await page.getByRole('button', { name: 'Show Segment map as table' }).click()
  const table = page.getByRole('region', { name: 'Table: Segments' })
  await expect.poll(() => table.getByRole('row').count()).toBe(17)
  const third = table.getByRole('button', { name: '3', exact: true })
  await third.click()
  await page.getByRole('region', { name: 'Records of segment 3' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await expect.poll(() => page.getByRole('region', { name: /^Records of segment/ }).count()).toBe(0)
  // Where it was before.
  await expect.poll(() => hasFocus(third)).toBe(true)
})

test('a table of thousands of segments draws what is in view, and the keyboard goes through all of it', async () => {
  await createNamespace(gateway, { name: 'wide', storage: { engine: 'memory' }, segments: 4096 })
  await page.goto(`${gateway.url}/namespaces/wide/segments`)
  await page.getByRole('button', { name: 'Show Segment map as table' }).click()
  const frame = page.getByRole('region', { name: 'Table: Segments' })
  await expect.poll(() => frame.getByRole('table').getAttribute('aria-rowcount')).toBe('4097')
  const button = (segment: number) => frame.getByRole('button', { name: String(segment), exact: true })
  await button(0).waitFor()
  expect(await frame.getByRole('row').count()).toBeLessThan(100)
  await frame.focus()
  await page.keyboard.press('End')
  await button(4095).waitFor()
  await expect.poll(() => frame.getByRole('row', { name: /^4095 / }).getAttribute('aria-rowindex')).toBe('4097')
  expect(await button(2048).count()).toBe(0)
  // The focus comes to the last row two frames after it is drawn: a key before that is for the frame.
  await expect.poll(() => hasFocus(frame.getByRole('row', { name: /^4095 / }))).toBe(true)
  // What has the focus stays where it is, however far away it was scrolled, and Tab goes on from there.
  await page.keyboard.press('Home')
  await button(2).focus()
  await frame.evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await button(4095).waitFor()
  await expect.poll(() => button(20).count()).toBe(0)
  expect(await hasFocus(button(2))).toBe(true)
  await page.keyboard.press('Tab')
  await expect.poll(() => hasFocus(button(3))).toBe(true)
  await button(6).waitFor()
  await page.keyboard.press('Shift+Tab')
  await expect.poll(() => hasFocus(button(2))).toBe(true)
  await frame.getByRole('button', { name: 'segment', exact: true }).click()
  await expect.poll(() => button(4095).count()).toBe(1)
})

test('reads and writes show as heat', async () => {
  await createNamespace(gateway, { name: 'busy', storage: { engine: 'memory' }, segments: 16 })
  await page.goto(`${gateway.url}/namespaces/busy/segments`)
  await page.getByText('Without ownership, this node owns every segment').waitFor()
  const heat = tile('Heat')
  await expect.poll(() => heat.textContent()).toBe('0/s')
  const workload = { namespace: 'busy', workload: 'RU,50', keys: 1000, fill: true, threads: 1, durationSeconds: 3600 }
  const { id } = await call<{ id: string }>(gateway, 'POST', '/api/v1/workloads', workload)
  await expect.poll(() => heat.textContent()).toMatch(/[1-9].*\/s$/)
  await call(gateway, 'DELETE', `/api/v1/workloads/${id}`)
})

test('ownership is changed and taken away in the configuration', async () => {
  await page.goto(`${gateway.url}/namespaces/grid/config`)
  const settings = page.getByRole('region', { name: 'Table: Settings of grid' })
  const dialog = page.getByRole('dialog')
  const apply = async () => {
    await page.getByRole('button', { name: 'Review…' }).click()
    await dialog.getByLabel('The same call with curl').getByText('"ownership":').waitFor()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await settings.getByRole('row', { name: /container.* flat: one map for all segments .*by a migration/ }).waitFor()
  await settings.getByRole('row', { name: /ownership.* node 1 of 3, 2 owners .*at any time/ }).waitFor()
  await page.getByLabel('This node', { exact: true }).fill('2')
  await apply()
  await settings.getByRole('row', { name: /ownership.* node 2 of 3/ }).waitFor()
  await page.getByRole('checkbox', { name: /^Several nodes share the segments/ }).uncheck()
  await apply()
  await settings.getByRole('row', { name: /ownership.* none none at any time/ }).waitFor()
  expect((await segments()).every(({ owners }) => owners === undefined)).toBe(true)
  // What was refused on purpose.
  expect(heard.filter((line) => !line.includes('400'))).toEqual([])
})

test('the map', async () => {
  const ownership = { nodes: 4, owners: 2, self: 2 }
  const name = 'looked-at'
  await createNamespace(gateway, { name, storage: { engine: 'memory' }, ownership })
  await importRows(gateway, name, 'rows', rows(5000))
  await withPage(site, {}, async (own) => {
    await own.goto(`${gateway.url}/namespaces/${name}/segments?segment=7`)
    await own.getByText(/^\d+ records$/).waitFor()
    for (const measure of ['Owner', 'Primary', 'Records']) {
      await own.getByRole('radio', { name: measure }).check()
      expect(await examineLooks(own, `segments-${measure.toLowerCase()}`), measure).toEqual([])
    }
    await own.getByRole('button', { name: 'Show Segment map as table' }).click()
    expect(await examineLooks(own, 'segments-table')).toEqual([])
    await own.goto(`${gateway.url}/namespaces/${name}/config`)
    await own.getByRole('button', { name: 'Review…' }).waitFor()
    expect(await examineLooks(own, 'config-ownership')).toEqual([])
  })
})
