import type { Browser, Page } from 'playwright-core'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { artifact, closePages, openBrowser, openPage } from '../browser/browser.ts'
import { pick } from '../browser/pick.ts'
import { contains, type Json } from '../gateway/contains.ts'
import { call } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { bash } from '../gateway/shell.ts'
import { readCsv } from '../gateway/csv.ts'
import { verb } from '../gateway/verb.ts'

// What a new user does first, in the browser, from the printed link to the live charts. The steps build on each other.

const rows = 20_000
const wanted = { commits: [{ author: { email: 'test@gmail.com' } }] }

const home = newHome()
const file = join(home, 'events.csv')
let gateway: Gateway
let browser: Browser
let page: Page
let heard: string[]
let expected: number

beforeAll(async () => {
  const made = await bash(`${verb('events', 'tessera-events')} --rows ${rows} --seed 1 > ${file}`, { cwd: home })
  expect(made.code, made.stderr).toBe(0)
  expected = 0
  for (const row of readCsv(file)) {
    if (row['event_type'] === 'PushEvent' && contains(JSON.parse(row['payload'] ?? '') as Json, wanted)) expected += 1
  }
  gateway = await startGateway(home)
  browser = await openBrowser()
  ;({ page, heard } = await openPage({ browser }, { viewport: { width: 1440, height: 900 } }))
})

afterEach(async ({ task }) => {
  await page.screenshot({ path: artifact(`main-job-${task.name.replaceAll(/\W+/g, '-')}`) })
})

afterAll(async () => {
  await closePages(browser)
  await gateway.stop()
  removeHome(home)
})

/** Goes to a page by the navigation, as a reader does. */
async function visit(name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

describe('the main job in the browser', () => {
  test('log in with the printed link, once', async () => {
    await page.goto(gateway.loginLink)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    const again = await fetch(gateway.loginLink, { redirect: 'manual' })
    expect(again.status).toBe(401)
  })

  test('create a namespace', async () => {
    await visit('Namespaces')
    await page.getByRole('link', { name: 'Create a namespace' }).click()
    await page.getByLabel('Name', { exact: true }).fill('github')
    await page.getByRole('button', { name: 'Create namespace' }).click()
    await page.getByRole('heading', { level: 1, name: 'github' }).waitFor()
    expect(await call(gateway, 'GET', '/api/v1/namespaces/github')).toMatchObject({ name: 'github', state: 'ready' })
  })

  test('import events from a file', async () => {
    await visit('Import & export')
    await page.getByLabel('File to import').setInputFiles(file)
    await page.getByLabel('Set', { exact: true }).fill('events')
    await pick(page.getByLabel('Key', { exact: true }), 'event_id')
    await pick(page.getByLabel('Distribution bin'), 'repo_id')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText(`${rows.toLocaleString('en')} inserted`).waitFor()
    const size = await call<{ records: number }>(gateway, 'GET', '/api/v1/namespaces/github/size?set=events')
    expect(size.records).toBe(rows)
  })

  test('switch the set index on', async () => {
    await page.goto(`${gateway.url}/namespaces/github/sets`)
    const toggle = page.getByRole('row', { name: /events/ }).getByRole('switch')
    await toggle.click()
    const state = async (): Promise<string> => {
      const set = await call<{ index: { state: string } }>(gateway, 'GET', '/api/v1/namespaces/github/sets/events')
      return set.index.state
    }
    await expect.poll(state).toBe('on')
    await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('true')
  })

  test('scan it with two threads', async () => {
    await visit('Scans')
    await pick(page.getByLabel('Set', { exact: true }), 'events')
    await page.getByLabel('Threads').fill('2')
    await page.locator('strong', { hasText: 'the set index' }).waitFor()
    await page.getByRole('button', { name: 'Run scan' }).click()
    await page
      .getByText(new RegExp(`${rows.toLocaleString('en')} (rows|records)`))
      .first()
      .waitFor()
    const newest = async (): Promise<unknown> => {
      const { items } = await call<{ items: { kind: string }[] }>(gateway, 'GET', '/api/v1/jobs')
      return items.find(({ kind }) => kind === 'scan')
    }
    await expect.poll(newest).toMatchObject({ threads: 2, state: 'done' })
  })

  test('build a document index', async () => {
    await visit('Indexes')
    await page.getByRole('button', { name: 'Create an index' }).first().click()
    const dialog = page.getByRole('dialog')
    await pick(dialog.getByLabel('Set', { exact: true }), 'events')
    await dialog.getByLabel('Bin', { exact: true }).fill('payload')
    await dialog.getByLabel('Threads').fill('2')
    await dialog.getByRole('button', { name: 'Build index' }).click()
    await page
      .getByRole('row', { name: /payload/ })
      .getByText('ready')
      .waitFor()
    expect(await call(gateway, 'GET', '/api/v1/namespaces/github/indexes/payload')).toMatchObject({
      state: 'ready',
      kind: 'document',
    })
  })

  test('query it, and get the rows of a plain loop', async () => {
    await visit('Query')
    await pick(page.getByLabel('Set', { exact: true }), 'events')
    const push = { bin: 'event_type', op: 'eq', value: 'PushEvent' }
    const where = { and: [push, { bin: 'payload', op: 'contains', value: wanted }] }
    await page.getByLabel('Request as JSON').fill(JSON.stringify({ set: 'events', where, limit: 1000 }))
    await page.getByText('document index').first().waitFor()
    await page.getByRole('button', { name: 'Run query' }).click()
    await page
      .getByText(new RegExp(`\\b${expected} (rows?|records?)`))
      .first()
      .waitFor()
    expect(expected).toBeGreaterThan(0)
  })

  test('watch it live', async () => {
    await visit('Live')
    await page.locator('canvas').first().waitFor()
    const tile = page.locator('.tile', { hasText: 'Operations' }).locator('strong')
    let n = 0
    const visitAgain = async (): Promise<string | null> => {
      n += 1
      await call(gateway, 'PUT', `/api/v1/namespaces/github/sets/visits/records/${n}`, { n })
      return tile.textContent()
    }
    await expect.poll(visitAgain).toMatch(/[1-9]/)
  })

  test('and nothing complained', () => {
    expect(heard).toEqual([])
  })
})
