// More than a hundred namespaces whose names are as long as names can be: no page breaks, asks once for each of them, or ends a list early.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examine, laidOut, looks, see, withPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { call, createNamespace } from '../gateway/client.ts'
import { isLong } from '../gateway/long.ts'

const NAMESPACES = isLong ? 200 : 120
/** Without a place to break a line. */
const nameOf = (n: number): string => `n${String(n).padStart(3, '0')}_${'w'.repeat(58)}`
const first = nameOf(0)
const last = nameOf(NAMESPACES - 1)

/** Requests that a page may make when it is opened, whatever the number of namespaces. */
const MOST_REQUESTS = 30

const pages = [
  ['overview', '/'],
  ['live', '/live'],
  ['namespaces', '/namespaces'],
  ['namespace', `/namespaces/${last}`],
  ['config', `/namespaces/${last}/config`],
  ['danger', `/namespaces/${last}/danger`],
  ['records', `/records?ns=${last}&set=events`],
  ['query', `/query?ns=${last}`],
  ['import', `/import?ns=${last}`],
  ['scans', `/scans?ns=${last}`],
  ['streams', `/streams?ns=${last}`],
  ['indexes', '/indexes'],
  ['jobs', '/jobs'],
  ['backups', '/backups'],
  ['slow', '/slow'],
  ['capacity', '/capacity'],
  ['alerts', '/alerts'],
  ['access', '/access'],
  ['benchmarks', '/benchmarks'],
] as const

let site: Site

beforeAll(async () => {
  site = await openSite()
  for (let n = 0; n < NAMESPACES; n += 1) {
    await createNamespace(site.gateway, { name: nameOf(n), storage: { engine: 'memory' } })
  }
  for (const name of [first, last]) {
    await call(site.gateway, 'PUT', `/api/v1/namespaces/${name}/sets/events/records/one`, { total: 1 })
  }
})

afterAll(() => site.close())

/** Opens a page, and answers how many requests of the API it made meanwhile. */
async function open(page: Page, path: string): Promise<number> {
  let asked = 0
  const count = (request: { url(): string }): void => {
    if (new URL(request.url()).pathname.startsWith('/api/')) asked += 1
  }
  page.on('request', count)
  await page.goto(site.gateway.url + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
  page.off('request', count)
  return asked
}

test.each(pages)('%s', async (name, path) => {
  await withPage(site, {}, async (page) => {
    expect(await open(page, path)).toBeLessThanOrEqual(MOST_REQUESTS)
    for (const [look, view] of looks) {
      await see(page, view)
      await laidOut(page, `${name} ${look}`)
    }
    expect(await examine(page, `many-${name}`, false)).toEqual([])
  })
})

test('the list shows all, finds one, and a picker finds the last', async () => {
  await withPage(site, {}, async (page) => {
    await open(page, '/namespaces')
    await page.getByText(`${NAMESPACES} namespaces`).first().waitFor()
    await page.getByRole('searchbox').first().fill(last.slice(0, 4))
    await page.getByRole('link', { name: last }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: first }).count()).toBe(0)
    await open(page, `/query?ns=${first}`)
    await page.getByRole('combobox', { name: 'Namespace' }).first().click()
    await page.keyboard.type(last.slice(0, 4))
    await page.locator(`[role=option][data-value="${last}"]`).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('ns')).toBe(last)
  })
})
