import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyLook, examine, examineContrast, looksOf, openPage, withPage } from '../browser/browser.ts'
import { pages } from '../browser/pages.mjs'
import { openSite, type Site } from '../browser/site.ts'
import { call, createNamespace, finish, type Job, lines } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { importRows } from '../gateway/rows.ts'

let site: Site
let gateway: Gateway

beforeAll(async () => {
  site = await openSite()
  gateway = site.gateway
  await createNamespace(gateway, { name: 'shop', storage: { engine: 'memory' } })
  await createNamespace(gateway, { name: 'archive', storage: { engine: 'device' } })
  await createNamespace(gateway, { name: 'vault', storage: { engine: 'paged', cacheBytes: 64 * 1024 * 1024 } })
  await importRows(gateway, 'vault', 'orders', orders())
  await importRows(gateway, 'shop', 'orders', orders())
  await importRows(gateway, 'archive', 'orders', orders())
  const spec = { name: 'detail', set: 'orders', bin: 'detail', kind: 'document', threads: 2 }
  await finish(gateway, await call<Job>(gateway, 'POST', '/api/v1/namespaces/shop/indexes', spec))
  await lines(gateway, 'POST', '/api/v1/namespaces/shop/scan', { set: 'orders', threads: 2 })
})

afterAll(() => site.close())

function* orders(): Generator<unknown> {
  for (let n = 0; n < 2000; n += 1) {
    yield {
      key: `order-${n}`,
      total: n * 1.5,
      big: 2 ** 40 + n,
      detail: { lines: [{ sku: `S${n % 50}` }], paid: n % 2 === 0 },
    }
  }
}

describe.each(everyLook)('%s', (look, view) => {
  const turns = [...pages.entries()].filter(([turn]) => looksOf(turn).some(([name]) => name === look))
  let page: Page
  let heard: string[]

  beforeAll(async () => {
    ;({ page, heard } = await openPage(site, view))
  })

  afterAll(() => page.context().close())

  /** What is wrong with a page. */
  async function faults(name: string, path: string, at: Page): Promise<string[]> {
    await at.goto(gateway.url + path)
    await at.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => at.locator('[aria-busy=true]').count()).toBe(0)
    return [...(await examine(at, `${name}-${look}`)), ...(await examineContrast(at))]
  }

  test.each(turns.map(([, one]) => one))('%s', async (name, path) => {
    expect(await faults(name, path, page)).toEqual([])
    await page
      .getByRole('contentinfo', { name: 'API calls of this page' })
      .getByText(/^API calls of this page: [1-9]/)
      .waitFor()
    expect(heard.splice(0)).toEqual([])
  })

  test('login', async () => {
    await withPage({ browser: site.browser }, view, async (own) => {
      expect(await faults('login', '/login', own)).toEqual([])
    })
  })
})
