import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineLooks, withPage } from '../browser/browser.ts'
import { openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'
import { call, type Job, send } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'

// The page of an index that is being built: how far it is, what its workers do, and what is left when it is aborted.

let site: Site

beforeAll(async () => {
  function* rows() {
    for (let n = 0; n < 100_000; n += 1) yield { key: n, detail: { sku: `S${n % 997}`, lines: [{ n }, { n: n + 1 }] } }
  }
  site = await openShop(rows())
  await beginPaused(site.gateway)
})

afterAll(() => site.close())

/** Begins a build, and pauses it when it knows how long it is. One that had ended before is begun anew. */
async function beginPaused(gateway: Gateway): Promise<void> {
  const indexes = '/api/v1/namespaces/shop/indexes'
  const spec = { name: 'detail', set: 'orders', bin: 'detail', kind: 'document', threads: 1 }
  for (;;) {
    let job = await call<Job & { total?: number }>(gateway, 'POST', indexes, spec)
    while (job.total === undefined && ['queued', 'running'].includes(job.state))
      job = await call(gateway, 'GET', `/api/v1/jobs/${job.id}`)
    const paused = await send(gateway, 'PATCH', `/api/v1/jobs/${job.id}`, { paused: true })
    const answer = (await paused.json()) as Job & { code?: string }
    if (answer.code !== 'job_finished') return expect(answer).toMatchObject({ state: 'paused' })
    await call(gateway, 'DELETE', `${indexes}/detail`)
  }
}

test('a build is looked at', async () => {
  await withPage(site, {}, async (page) => {
    await page.goto(`${site.gateway.url}/indexes/shop/detail`)
    const build = page.getByRole('region', { name: 'Build' })
    await build.getByRole('button', { name: 'Resume' }).waitFor()
    await build.getByText(/ of \d+,\d{3} records/).waitFor()
    // One way to abort, and it stands beside the progress.
    await expect.poll(() => page.getByRole('button', { name: /Drop|Abort/ }).allTextContents()).toEqual(['Abort'])
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
    expect(await examineLooks(page, 'index-build')).toEqual([])
  })
})

test('an abort leaves no index, and the page says so', async () => {
  await withPage(site, {}, async (page) => {
    await page.goto(`${site.gateway.url}/indexes/shop/detail`)
    // The bar has a button to drop the index until the page knows the job, and it is named the same.
    await page.getByRole('region', { name: 'Build' }).getByRole('button', { name: 'Abort' }).click()
    await page.getByText('This index no longer exists').waitFor()
    await page.getByRole('link', { name: 'The indexes of shop' }).click()
    await page.getByText('No indexes yet').waitFor()
  })
  const { items } = await call<{ items: unknown[] }>(site.gateway, 'GET', '/api/v1/namespaces/shop/indexes')
  expect(items).toEqual([])
})
