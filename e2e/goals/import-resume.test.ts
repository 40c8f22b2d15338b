import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { call, createNamespace, type Job } from '../gateway/client.ts'

// An upload that breaks off goes on from the same file: in the same visit, and in a later one.

const ROWS = 60_000
/** Bytes a second of an upload that is broken off: at that rate its file would take minutes. */
const SLOW = 100_000

let site: Site
let folder: string

beforeAll(async () => {
  site = await openSite()
  folder = mkdtempSync(join(tmpdir(), 'tessera-resume-'))
  const pad = 'x'.repeat(200)
  const lines = Array.from({ length: ROWS }, (_, n) => `${n},${pad}`)
  writeFileSync(join(folder, 'rows.csv'), `id,pad\n${lines.join('\n')}\n`)
  await createNamespace(site.gateway, { name: 'shop', storage: { engine: 'memory' } })
})

afterAll(async () => {
  await site.close()
  rmSync(folder, { recursive: true, force: true })
})

const waiting = (page: Page) => page.getByRole('region', { name: 'Upload broke off' })

async function importOf(set: string): Promise<Job | undefined> {
  const { items } = await call<{ items: (Job & { set?: string })[] }>(site.gateway, 'GET', '/api/v1/jobs?kind=import')
  return items.find((job) => job.set === set)
}

async function breakOff(page: Page, set: string): Promise<void> {
  await page.goto(`${site.gateway.url}/import?ns=shop`)
  await page.getByLabel('File to import').setInputFiles(join(folder, 'rows.csv'))
  await page.getByLabel('Set', { exact: true }).fill(set)
  await page.getByLabel('Threads').fill('1')
  const line = await page.context().newCDPSession(page)
  await line.send('Network.enable')
  await line.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: SLOW,
  })
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect.poll(() => importOf(set), { interval: 5 }).toBeDefined()
  const job = `/api/v1/jobs/${(await importOf(set))?.id ?? ''}`
  // It takes no more, so that the upload has not come to its end when it is broken off.
  await call(site.gateway, 'PATCH', job, { paused: true })
  await page.getByText(/ of .* sent ·/).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await waiting(page)
    .getByText(/arrived, [\d,]+ rows stored/)
    .waitFor()
  await line.detach()
  await call(site.gateway, 'PATCH', job, { paused: false })
  await expect.poll(() => importOf(set)).toMatchObject({ state: 'paused', reason: 'upload broke off' })
}

const recordsOf = async (set: string): Promise<number | undefined> => {
  const { items } = await call<{ items: { name: string; records: number }[] }>(
    site.gateway,
    'GET',
    '/api/v1/namespaces/shop/sets',
  )
  return items.find(({ name }) => name === set)?.records
}

test('goes on where it broke off', async () => {
  await withPage(site, {}, async (page) => {
    await breakOff(page, 'same')
    await waiting(page).getByRole('button', { name: 'Resume' }).click()
    await page.getByText('60,000 inserted').waitFor({ timeout: 120_000 })
    expect(await recordsOf('same')).toBe(ROWS)
  })
})

test('goes on in another visit from the same file only', async () => {
  await withPage(site, {}, async (page) => breakOff(page, 'later'))
  await withPage(site, {}, async (page) => {
    await page.goto(`${site.gateway.url}/import?ns=shop`)
    await waiting(page).getByText('Choose the same file').waitFor()
    writeFileSync(join(folder, 'other.csv'), 'id\n1\n')
    await page.getByLabel('File to import').setInputFiles(join(folder, 'other.csv'))
    await waiting(page).getByText('choose the same file').waitFor()
    await expect.poll(() => waiting(page).getByRole('button', { name: 'Resume' }).isDisabled()).toBe(true)
    await page.getByLabel('File to import').setInputFiles(join(folder, 'rows.csv'))
    await waiting(page).getByRole('button', { name: 'Resume' }).click()
    await page.getByText('60,000 inserted').waitFor({ timeout: 120_000 })
    expect(await recordsOf('later')).toBe(ROWS)
    // Not the set that the form now says.
    await expect
      .poll(() => page.getByRole('link', { name: 'Show the records' }).getAttribute('href'))
      .toContain('set=later')
  })
})

test('is given up', async () => {
  await withPage(site, {}, async (page) => {
    await breakOff(page, 'gone')
    // The answer is late: the page has asked for the jobs twice meanwhile, and for the upload not at all, as that would be refused.
    await page.route('**/api/v1/imports/*', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue()
      const response = await route.fetch()
      for (let polls = 0; polls < 2; polls += 1) await page.waitForResponse(/\/api\/v1\/jobs\b/)
      return route.fulfill({ response })
    })
    await waiting(page).getByRole('button', { name: 'Give up' }).click()
    await page.getByText('Upload given up').waitFor()
    await expect.poll(async () => (await importOf('gone'))?.state).toBe('aborted')
  })
})
