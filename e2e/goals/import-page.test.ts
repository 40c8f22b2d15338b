import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examineLooks, openPage, withPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { pick } from '../browser/pick.ts'
import { call, createNamespace, type Job, lines } from '../gateway/client.ts'

// Loading a file through the page: which bins its rows become, what was not taken, and the rest of an upload that broke off.

/** 40 rows with a number, every tenth of which is none; a note, and JSON with an owner. */
const csv = [
  'id,count,note,detail',
  ...Array.from(
    { length: 40 },
    (_, n) => `${n},${n % 10 === 9 ? 'none' : n},note ${n},"{""owner"":{""name"":""o${n % 3}""}}"`,
  ),
  '',
].join('\n')

const hour = Array.from({ length: 5 }, (_, n) =>
  JSON.stringify({
    id: String(n),
    type: 'PushEvent',
    actor: { id: n },
    repo: { id: 7 + n, name: 'a/b' },
    payload: { commits: [] },
    public: true,
    created_at: '2015-01-01T00:00:00Z',
  }),
).join('\n')

let site: Site
let page: Page
let heard: string[]
let folder: string

const fileOf = (name: string): string => join(folder, name)
const address = (): string => `${site.gateway.url}/import?ns=shop`
const bins = (at = page) => at.getByRole('table', { name: 'Bins of the records' })
const asText = (at = page) => at.getByLabel('As text')

async function choose(name: string, at = page): Promise<void> {
  await at.goto(address())
  await at.getByLabel('File to import').setInputFiles(fileOf(name))
  await bins(at).waitFor()
}

beforeAll(async () => {
  site = await openSite()
  folder = mkdtempSync(join(tmpdir(), 'tessera-import-'))
  writeFileSync(fileOf('orders.csv'), csv)
  writeFileSync(fileOf('2015-01-01-0.json'), `${hour}\n`)
  await createNamespace(site.gateway, { name: 'shop', storage: { engine: 'memory' } })
  ;({ page, heard } = await openPage(site))
})

afterAll(async () => {
  await site.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Stored {
  bins: Record<string, unknown>
}
const record = (set: string, key: string) =>
  call<Stored>(site.gateway, 'GET', `/api/v1/namespaces/shop/sets/${set}/records/${key}`)

test('table and request say the same, and records get the bins that they say', async () => {
  await choose('orders.csv')
  await expect.poll(() => asText().inputValue()).toBe('')
  await bins().getByLabel('Keep note').uncheck()
  await bins().getByLabel('Bin from count').fill('number')
  await page.getByRole('button', { name: 'Add a bin' }).click()
  await bins().getByLabel('Bin from', { exact: true }).fill('owner')
  await bins().getByLabel('Source of owner').fill('detail.owner.name')
  await bins().getByRole('row', { name: /owner/ }).getByText('o0', { exact: true }).waitFor()
  await expect.poll(() => asText().inputValue()).toBe('id:id,number:count,detail:detail:json,owner:detail.owner.name')

  await asText().fill('id:id:integer,number:count,owner:detail.owner.name')
  await expect.poll(() => bins().getByLabel('Keep detail').isChecked()).toBe(false)
  await expect.poll(() => bins().getByLabel('Type of id').inputValue()).toBe('integer')

  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('40 inserted, 0 updated').waitFor()
  const asked = { set: 'orders', where: { bin: 'id', op: 'eq', value: 8 } }
  const stored = await lines<Stored>(site.gateway, 'POST', '/api/v1/namespaces/shop/query', asked)
  expect(stored.map((one) => one.bins)).toEqual([{ id: 8, number: 8, owner: 'o2' }])
})

test('a mapping that cannot be said is not sent', async () => {
  await choose('orders.csv')
  await bins().getByLabel('Bin from count').fill('id')
  await page.getByText('The bin id is mapped twice').first().waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true)
  await bins().getByLabel('Bin from count').fill('number')
  await asText().fill('id')
  await page.getByText('Enter comma-separated bin:source').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Dry run' }).isDisabled()).toBe(true)
})

test('nor is it sent after a dry run that was of another', async () => {
  await choose('orders.csv')
  await page.getByRole('button', { name: 'Dry run' }).click()
  const all = page.getByRole('button', { name: 'Import all rows' })
  await all.waitFor()
  await bins().getByLabel('Bin from count').fill('id')
  await expect.poll(() => all.isDisabled()).toBe(true)
  await bins().getByLabel('Bin from count').fill('number')
  await expect.poll(() => all.isDisabled()).toBe(false)
})

test('an hour of the GitHub Archive is known by its look', async () => {
  await choose('2015-01-01-0.json')
  await page.getByText('the nine bins of GitHub Archive events').waitFor()
  await page
    .getByText(/format=github-archive/)
    .first()
    .waitFor()
  await page.getByLabel('Set', { exact: true }).fill('events')
  await pick(page.getByLabel('Distribution bin'), 'repo_id')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('5 inserted, 0 updated').waitFor()
  expect((await record('events', '3?route=10')).bins).toMatchObject({ event_id: '3', repo_id: 10 })
})

describe('what is not taken', () => {
  test('is told by a dry run', async () => {
    await withPage(site, {}, async (own) => {
      await choose('orders.csv', own)
      await pick(bins(own).getByLabel('Type of count'), 'integer')
      await own.getByRole('button', { name: 'Dry run' }).click()
      const table = own.getByRole('table', { name: 'Rejected rows' })
      await table.waitFor()
      const first = (await table.getByRole('row').nth(1).getByRole('cell').allTextContents()).join(' ')
      expect(first).toMatch(/^11 csv_invalid count .*9,none,note 9/)
      await own.getByText('csv_invalid 4').waitFor()
      expect(await examineLooks(own, 'import')).toEqual([])
    })
  })

  test('is in files, with the reasons and alone', async () => {
    await choose('orders.csv')
    await page.getByLabel('Set', { exact: true }).fill('counted')
    await pick(bins().getByLabel('Type of count'), 'integer')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('36 inserted, 0 updated').waitFor()
    const text = async (link: string): Promise<string[]> => {
      const downloading = page.waitForEvent('download')
      await page.getByRole('link', { name: link }).click()
      return readFileSync(await (await downloading).path(), 'utf8')
        .trimEnd()
        .split('\n')
    }
    const reasons = (await text('Reject file')).map((line) => JSON.parse(line) as { line: number; code: string })
    expect(reasons.map(({ line, code }) => [line, code])).toEqual([11, 21, 31, 41].map((line) => [line, 'csv_invalid']))
    const rows = await text('Rejected rows')
    expect([rows[0], rows.length]).toEqual(['id,count,note,detail', 5])
  })
})

test('an export in MessagePack is known by its look, and keeps what one chooses', async () => {
  await call(site.gateway, 'PUT', '/api/v1/namespaces/shop/sets/people/records/ada', { n: 1 })
  await call(site.gateway, 'PUT', '/api/v1/namespaces/shop/sets/people/records/ada', { n: 9 })
  await page.goto(address())
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download MessagePack' }).click()
  await (await downloading).saveAs(fileOf('shop.export'))
  await call(site.gateway, 'DELETE', '/api/v1/namespaces/shop/sets/people/records/ada')
  await page.getByLabel('File to import').setInputFiles(fileOf('shop.export'))
  const kept = page.getByRole('group', { name: 'This file is an export of Tessera' })
  await expect.poll(() => kept.getByLabel('Put each record into its own set').isChecked()).toBe(true)
  await expect.poll(() => kept.getByLabel('Keep the rest of each time to live').isChecked()).toBe(true)
  await kept.getByLabel('Keep each generation').check()
  await page.getByRole('button', { name: 'Dry run' }).click()
  const preview = page.getByLabel('Preview of the first records')
  await preview.waitFor()
  await expect.poll(() => preview.textContent()).toMatch(/\{"key":[^}]+,"bins":\{/)
  await page.getByRole('button', { name: 'Import all rows' }).click()
  await page.getByText(/1 inserted, \d+ updated, 0 rejected/).waitFor()
  expect(await record('people', 'ada')).toMatchObject({ generation: 2, bins: { n: 9 } })
})

test("another's import is not taken for the page's own, and not ended with it", async () => {
  const { url, token } = site.gateway
  const other = request(`${url}/api/v1/namespaces/shop/import?set=others&key=id`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
  })
  // It is broken off at the end.
  other.on('error', () => undefined)
  await withPage(site, {}, async (own) => {
    await choose('orders.csv', own)
    // The page's own import does not arrive.
    await own.route('**/import?*', () => undefined)
    await own.getByRole('button', { name: 'Import', exact: true }).click()
    other.write('{"id":1}\n')
    await own.locator('[aria-description="1 running job"]').waitFor()
    await own.getByRole('button', { name: 'Abort' }).click()
    await own.getByText('Stopped.').waitFor()
  })
  const { items } = await call<{ items: (Job & { set?: string })[] }>(site.gateway, 'GET', '/api/v1/jobs?kind=import')
  const job = items.find(({ set }) => set === 'others')
  expect(job?.state).toBe('running')
  await call(site.gateway, 'DELETE', `/api/v1/imports/${job?.id ?? ''}`)
  other.destroy()
})

test('no page complained', () => expect(heard).toEqual([]))
