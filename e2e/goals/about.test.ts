import { afterAll, beforeAll, expect, test } from 'vitest'
import { withPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { call, createNamespace, send } from '../gateway/client.ts'
import { boundNs } from '../gateway/histogram.ts'

// The page About says which versions run, how long the start took and what the gateway adds: the latter equals what is worked
// out by hand from the raw histogram.

interface About {
  version: string
  start: { totalMs: number; parts: { part: string; ms: number }[] }
  added: { count: number; buckets: number[]; slo: number[] }
}

const READS = 1500
let site: Site

beforeAll(async () => {
  site = await openSite()
  const { gateway } = site
  await createNamespace(gateway, { name: 'shop', storage: { engine: 'memory' } })
  await send(gateway, 'PUT', '/api/v1/namespaces/shop/sets/s/records/1', { v: 1 })
  for (let n = 1; n < READS; n += 1)
    await (await send(gateway, 'GET', '/api/v1/namespaces/shop/sets/s/records/1')).arrayBuffer()
})

afterAll(() => site.close())

const about = (): Promise<About> => call<About>(site.gateway, 'GET', '/api/v1/about')

/** The quantile that `above` of 100 requests exceed, nanoseconds. */
function quantileNs({ count, buckets }: About['added'], above: number): number {
  const rank = Math.ceil((count * (100 - above)) / 100)
  let below = 0
  for (let i = 0; i < buckets.length; i += 2) {
    const [bucket = 0, requests = 0] = [buckets[i], buckets[i + 1]]
    if (below + requests >= rank) {
      const low = bucket === 0 ? 0 : boundNs(bucket)
      return low + ((rank - below) / requests) * (boundNs(bucket + 1) - low)
    }
    below += requests
  }
  throw new Error('no bucket has it')
}

/** As the page writes a latency. */
function words(ns: number): string {
  const [value, unit] = ns < 1e3 ? [ns, 'ns'] : ns < 1e6 ? [ns / 1e3, 'µs'] : [ns / 1e6, 'ms']
  return `${value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)} ${unit}`
}

test('what the gateway adds is the figure of the raw histogram', async () => {
  // An answer is counted behind its last byte.
  await expect.poll(async () => (await about()).added.count).toBe(READS)
  const { added } = await about()
  expect(added.buckets.filter((_, i) => i % 2 === 1).reduce((sum, requests) => sum + requests, 0)).toBe(READS)
  await withPage(site, {}, async (page) => {
    await page.goto(`${site.gateway.url}/about`)
    const tile = (name: string) =>
      page.locator('.tile', { has: page.getByText(name, { exact: true }) }).locator('strong')
    await expect.poll(() => tile('requests').textContent()).toBe('1,500')
    await expect.poll(() => tile('p50').textContent()).toBe(words(quantileNs(added, 50)))
    await expect.poll(() => tile('p99').textContent()).toBe(words(quantileNs(added, 1)))
    expect(Number.parseFloat((await tile('within 250 µs').textContent()) ?? '')).toBeCloseTo(
      ((added.slo[2] ?? 0) / READS) * 100,
      0,
    )
  })
})

test('versions, the parts of the start, licences and the diagnostics are there', async () => {
  const { version, start } = await about()
  expect(start.parts.map(({ part }) => part)).toEqual(['runtime', 'code', 'settings', 'engine', 'routes', 'listen'])
  expect(start.parts.reduce((sum, { ms }) => sum + ms, 0)).toBeCloseTo(start.totalMs, 3)
  await withPage(site, {}, async (page) => {
    await page.goto(`${site.gateway.url}/about`)
    const fact = (name: string) => page.locator(`dt:text-is("${name}") + dd`)
    await expect.poll(() => fact('gateway').textContent()).toBe(version)
    expect(await fact('console, build').textContent()).toMatch(/^[\w-]{8}$/)
    await page.getByText('until it listened').waitFor()
    await page.getByRole('button', { name: 'Show the licences of all parts' }).click()
    await page.getByRole('searchbox', { name: /Search/ }).fill('fastify 5')
    await page.getByRole('row', { name: /^fastify 5.*MIT/ }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download diagnostics' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('diagnostics.ndjson')
    expect(await download.failure()).toBeNull()
  })
})
