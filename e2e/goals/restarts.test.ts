// The gateway is killed and started again in the middle of each task of the main job, each in a page of its own. The page says
// that its figures are old, loses nothing that was typed, and goes on by itself: it is neither loaded again nor signed in again.
import type { Locator, Page } from 'playwright-core'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { closePages, logIn, openBrowser, openPage } from '../browser/browser.ts'
import { textOf } from '../browser/json-editor.ts'
import { pick, picked } from '../browser/pick.ts'
import { call, createNamespace, finish, type Job, send } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { importRows } from '../gateway/rows.ts'

const ROWS = 300
const BIG = '9223372036854775807'
const RECORD = '/api/v1/namespaces/shop/sets/events/records/a'

const home = newHome()
const file = join(home, 'orders.ndjson')

/** Pages of one context: a browser has six connections to a server for each, and a page keeps one for its figures. */
const PAGES = 3

/** A task in the middle: what was typed or chosen, and how it goes on. */
interface Begun {
  keeps(): Promise<unknown>
  goOn(): Promise<void>
}

let gateway: Gateway
let loads = 0
const pages: Page[] = []
const heard: string[][] = []
const begun: Begun[] = []

beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, id) => ({ id, detail: { paid: id % 3 === 0 } }))
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'))
  gateway = await startGateway(home)
  await createNamespace(gateway, { name: 'shop', storage: { engine: 'device' } })
  await call(gateway, 'PUT', RECORD, { n: 1 })
  const keyed = rows.map(({ id, detail }) => ({ key: id, detail }))
  for (const set of ['orders', 'sales']) await importRows(gateway, 'shop', set, keyed)
  const spec = { name: 'sold', set: 'sales', bin: 'detail', kind: 'document', threads: 1 }
  await finish(gateway, await call<Job>(gateway, 'POST', '/api/v1/namespaces/shop/indexes', spec))
  const visitor = { browser: await openBrowser() }
  const session = await logIn(visitor.browser, gateway)
  for (let n = 0; n < tasks.length; n += 1) {
    const opened = n % PAGES === 0 ? await openPage({ ...visitor, session }) : undefined
    const page = opened?.page ?? (await pages.at(-1)?.context().newPage())
    if (page === undefined) throw new Error('no page')
    if (opened !== undefined) heard.push(opened.heard)
    page.on('load', () => (loads += 1))
    pages.push(page)
  }
})

afterEach(() => {
  for (const complaints of heard) {
    // The browser tells of the calls and the stream that found no server.
    expect(complaints.filter((line) => !/ERR_(CONNECTION|INCOMPLETE|EMPTY|FAILED|SOCKET)/.test(line))).toEqual([])
    complaints.length = 0
  }
})

afterAll(async () => {
  await closePages(await openBrowser())
  await gateway.stop()
  removeHome(home)
})

const mark = (page: Page): Locator => page.getByText(/^No live figures since/)
const label = (within: Page | Locator, name: string): Locator => within.getByLabel(name, { exact: true })
const button = (within: Page | Locator, name: string): Locator => within.getByRole('button', { name, exact: true })

const shown = (control: Locator): Promise<string> =>
  control.evaluate((element) => ('value' in element ? String(element.value) : (element.textContent ?? '')))

const all =
  (...controls: Locator[]) =>
  (): Promise<string[]> =>
    Promise.all(controls.map(shown))

const visit = async (page: Page, path: string, title: string): Promise<void> => {
  await page.goto(`${gateway.url}${path}`)
  // A dialog hides the rest of the page from readers.
  await page.getByRole('heading', { level: 1, name: title, includeHidden: true }).waitFor()
  // Without a first frame there are no old figures.
  await page.locator('.connection.good').waitFor()
}

/** The tasks, each to its middle. */
const tasks: readonly (readonly [name: string, begin: (page: Page) => Promise<Begun>])[] = [
  [
    'a namespace is created',
    async (page) => {
      await visit(page, '/namespaces/new', 'Create a namespace')
      await label(page, 'Name').fill('github')
      await label(page, 'Default TTL, seconds').fill('3600')
      return {
        keeps: all(label(page, 'Name'), label(page, 'Default TTL, seconds')),
        goOn: async () => {
          await button(page, 'Create namespace').click()
          await page.getByRole('heading', { level: 1, name: 'github' }).waitFor()
          const created = await call(gateway, 'GET', '/api/v1/namespaces/github')
          expect(created).toMatchObject({ config: { defaultTtlSeconds: 3600 } })
        },
      }
    },
  ],
  [
    'a file is imported',
    async (page) => {
      await visit(page, '/import?ns=shop', 'Import & export')
      await page.getByLabel('File to import').setInputFiles(file)
      await label(page, 'Set').fill('loaded')
      await pick(label(page, 'Key'), 'id')
      return {
        keeps: all(label(page, 'Set'), label(page, 'Key')),
        goOn: async () => {
          await button(page, 'Import').click()
          await page.getByText(`${ROWS} inserted`).waitFor()
          const size = await call(gateway, 'GET', '/api/v1/namespaces/shop/size?set=loaded')
          expect(size).toMatchObject({ records: ROWS })
        },
      }
    },
  ],
  [
    'a set is scanned',
    async (page) => {
      await visit(page, '/scans?ns=shop', 'Scans')
      await pick(label(page, 'Set'), 'orders')
      await label(page, 'Threads').fill('2')
      await label(page, 'Records per second').fill('5000')
      const typed = all(label(page, 'Threads'), label(page, 'Records per second'))
      return {
        keeps: async () => [await picked(label(page, 'Set')), await typed()],
        goOn: async () => {
          await button(page, 'Run scan').click()
          await page
            .getByText(new RegExp(`${ROWS} (rows|records)`))
            .first()
            .waitFor()
          // The plan tells as many records before the scan begins, and the page reads a sample with a scan of its own.
          const scans = (): Promise<{ items: object[] }> => call(gateway, 'GET', '/api/v1/jobs?kind=scan')
          await expect
            .poll(async () => (await scans()).items)
            .toContainEqual(expect.objectContaining({ threads: 2, state: 'done', done: ROWS }))
        },
      }
    },
  ],
  [
    'an index is built',
    async (page) => {
      await visit(page, '/indexes?ns=shop', 'Indexes')
      await button(page, 'Create an index').first().click()
      const dialog = page.getByRole('dialog')
      await pick(label(dialog, 'Set'), 'orders')
      await label(dialog, 'Bin').fill('detail')
      await label(dialog, 'Threads').fill('2')
      const typed = all(label(dialog, 'Bin'), label(dialog, 'Threads'))
      return {
        keeps: async () => [await picked(label(dialog, 'Set')), await typed()],
        goOn: async () => {
          await button(dialog, 'Build index').click()
          await page
            .getByRole('row', { name: /orders/ })
            .getByText('ready')
            .waitFor()
          const built = await call(gateway, 'GET', '/api/v1/namespaces/shop/indexes/detail')
          expect(built).toMatchObject({ state: 'ready' })
        },
      }
    },
  ],
  [
    'a query is asked',
    async (page) => {
      await visit(page, '/query?ns=shop', 'Query')
      const json = label(page, 'Request as JSON')
      const where = { bin: 'detail', op: 'contains', value: { paid: true } }
      await json.fill(JSON.stringify({ set: 'sales', where, limit: 1000 }))
      return {
        keeps: () => textOf(json),
        goOn: async () => {
          await page.getByText('document index').first().waitFor()
          await button(page, 'Run query').click()
          await page
            .getByText(new RegExp(`\\b${ROWS / 3} (rows|records)`))
            .first()
            .waitFor()
          const queries = (): Promise<{ items: object[] }> => call(gateway, 'GET', '/api/v1/jobs?kind=query')
          await expect
            .poll(async () => (await queries()).items)
            .toContainEqual(expect.objectContaining({ state: 'done' }))
        },
      }
    },
  ],
  [
    'a record is edited',
    async (page) => {
      await visit(page, '/records?ns=shop&set=events&key=a', 'Records')
      const dialog = page.getByRole('dialog', { name: 'Record a' })
      await dialog.getByRole('radiogroup', { name: 'Edit as' }).getByText('JSON').click()
      await dialog.locator('.cm-content').waitFor()
      const json = dialog.getByLabel('Bins as JSON')
      await json.fill(`{"n": ${BIG}}`)
      return {
        keeps: () => textOf(json),
        goOn: async () => {
          await button(dialog, 'Save').click()
          await page.getByText('Record saved').first().waitFor()
          expect(await (await send(gateway, 'GET', RECORD)).text()).toContain(`"n":${BIG}`)
        },
      }
    },
  ],
  [
    'an alert rule is written',
    async (page) => {
      await visit(page, '/alerts', 'Alerts')
      await button(page, 'New rule').click()
      const dialog = page.getByRole('dialog')
      await label(dialog, 'Name').fill('Many records')
      await pick(label(dialog, 'Metric'), 'namespace.records')
      await label(dialog, 'Value').fill('4000')
      const typed = all(label(dialog, 'Name'), label(dialog, 'Value'))
      return {
        keeps: async () => [await picked(label(dialog, 'Metric')), await typed()],
        goOn: async () => {
          await button(dialog, 'Save').click()
          await page.getByText('Saved Many records').first().waitFor()
          const { items } = await call<{ items: object[] }>(gateway, 'GET', '/api/v1/alerts/rules')
          expect(items).toContainEqual(expect.objectContaining({ name: 'Many records' }))
        },
      }
    },
  ],
  [
    'it is watched live',
    async (page) => {
      await visit(page, '/live?window=5m', 'Live')
      const tile = page.locator('.tile', { hasText: 'Operations' }).locator('strong')
      const operate = async (): Promise<string> => {
        await call(gateway, 'GET', RECORD)
        return shown(tile)
      }
      await expect.poll(operate).toMatch(/[1-9]/)
      const range = page.getByRole('radiogroup', { name: 'Range' }).getByRole('radio', { checked: true })
      return {
        keeps: () => range.evaluate(({ parentElement }) => parentElement?.textContent),
        goOn: async () => {
          await expect.poll(operate).toMatch(/[1-9]/)
        },
      }
    },
  ],
  [
    'the set index is switched on',
    async (page) => {
      await visit(page, '/namespaces/shop/sets', 'shop')
      const toggle = page.getByRole('row', { name: /orders/ }).getByRole('switch')
      const stored = async (): Promise<string> =>
        (await call<{ index: { state: string } }>(gateway, 'GET', '/api/v1/namespaces/shop/sets/orders')).index.state
      await toggle.click()
      return {
        // Whether the kill comes before or after the switch: the page shows what holds then.
        keeps: () => toggle.getAttribute('aria-label'),
        goOn: async () => {
          const isOn = async (): Promise<string> => String((await stored()) === 'on')
          await expect.poll(async () => (await toggle.getAttribute('aria-checked')) === (await isOn())).toBe(true)
          if ((await stored()) !== 'on') await toggle.click()
          await expect.poll(stored).toBe('on')
          await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('true')
        },
      }
    },
  ],
]

const each = [...tasks.entries()].map(([at, [name, begin]]) => [name, at, begin] as const)
const typed = (): Promise<unknown[]> => Promise.all(begun.map(({ keeps }) => keeps()))
const untilAll = (does: (page: Page) => Promise<void>): Promise<void[]> => Promise.all(pages.map(does))

test.each(each)('%s: to its middle', async (_, at, begin) => {
  const page = pages[at]
  if (page !== undefined) begun.push(await begin(page))
  expect(begun).toHaveLength(at + 1)
})

test('every page says that its figures are old, loses nothing, and has new ones after the start', async () => {
  const before = [await typed(), loads]
  const port = new URL(gateway.url).port
  await gateway.stop('SIGKILL')
  try {
    await untilAll((page) => mark(page).waitFor())
    expect([await typed(), loads]).toEqual(before)
  } finally {
    gateway = await startGateway(home, ['--port', port])
  }
  await untilAll((page) => mark(page).waitFor({ state: 'detached' }))
  expect([await typed(), loads]).toEqual(before)
})

test.each(each)('%s: to its end', async (_, at) => {
  const before = loads
  await begun[at]?.goOn()
  expect(loads).toBe(before)
})
