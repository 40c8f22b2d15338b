import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineLooks, withPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { call, createNamespace } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'

interface Run {
  id: string
  state: string
  spec: { name?: string }
}

interface Figure {
  figure: string
  runs: { verdict: string }[]
}

let site: Site
let gateway: Gateway

beforeAll(async () => {
  site = await openSite()
  gateway = site.gateway
  await createNamespace(gateway, { name: 'shop', storage: { engine: 'memory' } })
})

afterAll(() => site.close())

test('a run is started from a preset with the keyboard, watched to its result, and compared with another', async () => {
  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    for (const name of ['first', 'second']) {
      await page.goto(`${gateway.url}/benchmarks?create=true`)
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Steady 10 k/s' }).press('Enter')
      await dialog.getByLabel('Name', { exact: true }).fill(name)
      await dialog.getByLabel('Keys', { exact: true }).fill('1000')
      await dialog.getByLabel('Operations per second', { exact: true }).fill('2000')
      await dialog.getByLabel('Seconds', { exact: true }).fill('4')
      // Enter does nothing before the namespaces have come.
      await expect.poll(() => dialog.getByRole('button', { name: 'Run', exact: true }).isEnabled()).toBe(true)
      await dialog.getByLabel('Seconds', { exact: true }).press('Enter')
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await page.getByRole('region', { name: 'Table: Percentiles' }).waitFor()
      await page.getByRole('button', { name: 'Show Throughput as table' }).click()
      await page.getByRole('region', { name: 'Throughput' }).getByText('1 s', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Show Throughput as chart' }).click()
    }
    await page.getByRole('link', { name: 'All runs' }).click()
    await page.getByLabel('Compare second').check()
    await page.getByLabel('Compare first').check()
    await page.getByRole('button', { name: 'Compare 2' }).click()
    const row = page.getByRole('row', { name: /operations per second/ })
    await row.getByText('baseline').waitFor()
    // Both did what was due, so many a second: no difference, or nobody can tell if the machine had no time for them.
    const ids = new URL(page.url()).searchParams.get('ids')
    const path = `/api/v1/workloads/compare?ids=${ids}`
    const { figures } = await call<{ figures: Figure[] }>(gateway, 'GET', path)
    const verdict = figures.find(({ figure }) => figure === 'tps')?.runs[1]?.verdict.replace('-', ' ')
    expect(verdict).toMatch(/^(no difference|cannot tell|better|worse)$/)
    await expect.poll(() => row.textContent()).toContain(verdict)
  })
})

test('a run that goes on is aborted from its page', async () => {
  const spec = { name: 'long', namespace: 'shop', keys: 1000, threads: 2, fill: true, durationSeconds: 3600 }
  const { id } = await call<Run>(gateway, 'POST', '/api/v1/workloads', spec)
  await withPage(site, {}, async (page) => {
    await page.goto(`${gateway.url}/benchmarks/${id}`)
    await page.getByText('in the last second').first().waitFor()
    await page.getByRole('button', { name: 'Abort' }).click()
    await page.getByText('aborted', { exact: true }).waitFor()
    expect((await call<Run>(gateway, 'GET', `/api/v1/workloads/${id}`)).state).toBe('aborted')
    await page.getByRole('button', { name: 'Forget' }).click()
    await page.getByRole('heading', { level: 1, name: 'Benchmarks' }).waitFor()
    const { items } = await call<{ items: Run[] }>(gateway, 'GET', '/api/v1/workloads')
    expect(items.map(({ spec: { name } }) => name)).not.toContain('long')
  })
})

test('list, form, run and comparison read well', async () => {
  const { items } = await call<{ items: Run[] }>(gateway, 'GET', '/api/v1/workloads')
  const ids = items.map(({ id }) => id)
  await withPage(site, {}, async (page) => {
    const pages = [
      ['list', '/benchmarks'],
      ['form', '/benchmarks?create=true'],
      ['run', `/benchmarks/${ids[0] ?? ''}`],
      ['compare', `/benchmarks/compare?ids=${ids.join(',')}`],
    ] as const
    for (const [name, path] of pages) {
      await page.goto(gateway.url + path)
      await page.locator('h1').waitFor()
      await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
      expect(await examineLooks(page, `benchmarks-${name}`, name !== 'form')).toEqual([])
    }
  })
})
