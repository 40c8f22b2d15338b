import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examine, openPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { call, createNamespace } from '../gateway/client.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { importRows } from '../gateway/rows.ts'

// What is full says so on the pages, and is helped from there; and the planner answers as one types.

let site: Site
let gateway: Gateway
let page: Page
let heard: string[]

beforeAll(async () => {
  site = await openSite()
  gateway = site.gateway
  ;({ page, heard } = await openPage(site))
  const storage = { engine: 'memory', maxMemoryBytes: 1024 * 1024 }
  await createNamespace(gateway, { name: 'full', storage, segments: 4, stopWritesPercent: 40 })
  const rows = Array.from({ length: 390 }, (_, n) => ({ key: `row-${n}`, text: 'x'.repeat(1000) }))
  await importRows(gateway, 'full', 'rows', rows)
})

afterAll(() => site.close())

const write = (key: string): Promise<Response> =>
  fetch(`${gateway.url}/api/v1/namespaces/full/sets/rows/records/${key}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'x'.repeat(1000) }),
  })

describe('limits on the pages', () => {
  test('a namespace that takes no more says so and is told to go on', async () => {
    let answer = await write('more-0')
    for (let n = 1; answer.ok; n += 1) answer = await write(`more-${n}`)
    expect(answer.status).toBe(507)
    await page.goto(gateway.url)
    await page.getByRole('region', { name: 'Health' }).getByText('accepts no more data').waitFor()
    await page.goto(`${gateway.url}/namespaces/full`)
    await page.getByRole('alert').getByText('This namespace refuses writes that add data').waitFor()
    await page.getByText('writes stopped', { exact: true }).waitFor()
    expect(await examine(page, 'namespace-full')).toEqual([])
    await page.getByRole('navigation', { name: 'Parts of full' }).getByRole('link', { name: 'Configuration' }).click()
    await page.getByLabel('stop writes at, percent').fill('80')
    await page.getByText('writes that add data are refused at 80% full').waitFor()
    await page.getByRole('button', { name: 'Review…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Settings saved').waitFor()
    await expect.poll(() => page.getByText('writes stopped', { exact: true }).count()).toBe(0)
    expect((await write('after')).ok).toBe(true)
  })

  test('a set gets limits from its row', async () => {
    await page.goto(`${gateway.url}/namespaces/full/sets`)
    await page.getByRole('button', { name: 'Limits…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Maximum records').fill('100')
    expect(await examine(page, 'set-limits', false)).toEqual([])
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('table').getByText('100 records').waitFor()
    const refused = await write('one-too-many')
    expect(await refused.json()).toMatchObject({ code: 'set_quota' })
  })

  test('a namespace of single bins with limits is created from the form', async () => {
    await page.goto(`${gateway.url}/namespaces/new`)
    await page.getByLabel('Name', { exact: true }).fill('flags')
    await page.getByLabel('Maximum memory, GiB').fill('2')
    await page.getByLabel(/^Single bin/).check()
    await page.getByLabel('Stop writes at, percent').fill('70')
    await page.getByLabel('Evict at, percent').fill('70')
    await page.getByRole('button', { name: 'Create namespace' }).click()
    await page.getByText('0 to 69; 0: never').waitFor()
    await page.getByLabel('Evict at, percent').fill('60')
    await page.getByRole('button', { name: 'Create namespace' }).click()
    await page.getByText('single bin', { exact: true }).waitFor()
    expect(await call(gateway, 'GET', '/api/v1/namespaces/flags')).toMatchObject({
      config: {
        singleBin: true,
        stopWritesPercent: 70,
        evictAtPercent: 60,
        storage: { maxMemoryBytes: 2 * 1024 ** 3 },
      },
    })
  })

  test('the planner follows what is typed', async () => {
    await page.goto(`${gateway.url}/capacity`)
    const tile = (name: string) => page.locator('.tile').filter({ hasText: name }).locator('strong')
    await tile('Flash').waitFor()
    const before = await tile('Flash').textContent()
    await page.getByLabel('Copies').fill('2')
    await expect.poll(() => tile('Flash').textContent()).not.toBe(before)
    await page.getByLabel('Flash in use, percent').fill('100')
    await page.getByText('Correct the marked fields').waitFor()
    await page.getByLabel('Flash in use, percent').fill('90')
    await page.getByText('5.18').waitFor()
    await page.getByLabel('Records').fill('1000000')
    await page.getByLabel('Value length of bin 1, bytes').fill('8000000')
    await page.getByText('record_too_large').waitFor()
    await page.getByRole('radiogroup', { name: 'Engine' }).getByText('memory').click()
    await expect.poll(() => tile('Flash').textContent()).toBe('none')
    await page.getByLabel('The same call with curl').getByText('"engine":"memory"').waitFor()
    expect(heard.filter((line) => !line.includes('413'))).toEqual([])
  })
})
