import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contrastsOf, examine, examineContrast, looksOf, openPage, rulesAt, see, withPage } from '../browser/browser.ts'
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

/**
 * What is wrong with a page in its looks. It is loaded in the first of them, wide or narrow in turn. Of two looks the second
 * is taken once more, with more contrast or with the reader's own colours in turn.
 */
async function faults(page: Page, name: string, path: string, turn: number): Promise<string[]> {
  const looks = turn % 4 < 2 ? looksOf(turn) : looksOf(turn).toReversed()
  await see(page, looks[0]?.[1] ?? {})
  await page.goto(gateway.url + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
  const found: string[] = []
  for (const [at, [look, view]] of looks.entries()) {
    await see(page, view)
    const plain = await examine(page, `${name}-${look}`, true, rulesAt(at))
    const contrast = await examineContrast(page, contrastsOf(turn, at))
    found.push(...[...plain, ...contrast].map((fault) => `${look}: ${fault}`))
  }
  return found
}

describe('every page', () => {
  let page: Page
  let heard: string[]

  beforeAll(async () => {
    ;({ page, heard } = await openPage(site))
  })

  afterAll(() => page.context().close())

  test.each(pages.map(([name, path], turn) => [name, path, turn] as const))('%s', async (name, path, turn) => {
    expect(await faults(page, name, path, turn)).toEqual([])
    await page
      .getByRole('contentinfo', { name: 'API calls of this page' })
      .getByText(/^API calls of this page: [1-9]/)
      .waitFor()
    expect(heard.splice(0)).toEqual([])
  })
})

test.each([0, 1])('login, turn %i', async (turn) => {
  await withPage({ browser: site.browser }, {}, async (page) => {
    expect(await faults(page, 'login', '/login', turn)).toEqual([])
  })
})
