import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineLooks, withPage } from '../browser/browser.ts'
import { openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'
import { call, finish, type Job } from '../gateway/client.ts'

// The page of an index: what it holds, how it was built, and what the build did to everyone else.

let site: Site

beforeAll(async () => {
  const rows = Array.from({ length: 5000 }, (_, n) => ({ key: `k${n}`, detail: { sku: `S${n % 50}`, lines: [{ n }] } }))
  site = await openShop(rows)
  const { gateway } = site
  const load = {
    namespace: 'shop',
    workload: 'RU,50',
    keys: 1000,
    fill: true,
    threads: 1,
    targetTps: 500,
    durationSeconds: 3,
  }
  await call(gateway, 'POST', '/api/v1/workloads', load)
  const spec = { name: 'detail', set: 'orders', bin: 'detail', kind: 'document', threads: 2 }
  await finish(gateway, await call<Job>(gateway, 'POST', '/api/v1/namespaces/shop/indexes', spec))
})

afterAll(() => site.close())

test('an index is looked at', async () => {
  const { gateway } = site
  await withPage(site, {}, async (page) => {
    await page.goto(`${gateway.url}/indexes`)
    await page.getByRole('link', { name: 'detail', exact: true }).click()
    await page.getByRole('heading', { name: 'detail', level: 1 }).waitFor()
    const facts = page.getByRole('region', { name: 'Document index' })
    await facts
      .getByText(/^[1-9][\d,]+$/)
      .first()
      .waitFor()
    await facts.getByText(/^\d+\.\d\d bytes$/).waitFor()
    await page.getByRole('region', { name: 'Build' }).getByText('done', { exact: true }).waitFor()
    const table = page.getByRole('table', { name: 'Latency before and during the build' })
    await expect
      .poll(() => table.getByRole('row').allTextContents())
      .toEqual([
        'latencybeforeduringchange',
        ...['get p50', 'get p99', 'put p50', 'put p99'].map((name) => expect.stringContaining(name) as string),
      ])
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
    expect(await examineLooks(page, 'index')).toEqual([])
  })
})

test('one that is not there is said to be missing', async () => {
  await withPage(site, {}, async (page) => {
    await page.goto(`${site.gateway.url}/indexes/shop/absent`)
    await page.getByText('No such index').waitFor()
    await page.getByRole('link', { name: 'The indexes of shop' }).click()
    await page.getByRole('link', { name: 'detail', exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('ns')).toBe('shop')
  })
})
