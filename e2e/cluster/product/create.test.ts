// A namespace on a real cluster, made in the form of the console, and looked at on each of its pages.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePages, examine, logIn, looks, openBrowser, type Session, withPage } from '../../browser/browser.ts'
import { call, finish, type Job, send } from '../../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../../gateway/gateway.ts'

const points = (process.env['CLUSTER_CONTACT_POINTS'] ?? '').split(',')
const copies = Math.min(3, points.length)
const home = newHome()
let gateway: Gateway
let browser: Browser
let session: Session

beforeAll(async () => {
  const clusters = join(home, 'clusters.json')
  writeFileSync(clusters, JSON.stringify({ local: { contactPoints: points } }))
  browser = await openBrowser()
  gateway = await startGateway(home, [], { TESSERA_CLUSTERS: clusters })
  session = await logIn(browser, gateway)
})
afterAll(async () => {
  await closePages(browser)
  await gateway.stop()
  removeHome(home)
})

const look = async (path: string, name: string, check: (page: Page) => Promise<void>): Promise<void> => {
  for (const [how, view] of looks) {
    await withPage({ browser, session }, view, async (page) => {
      await page.goto(gateway.url + path)
      await check(page)
      expect(await examine(page, `${name}-${how}`)).toEqual([])
    })
  }
}

test('the form offers the clusters of the file, with all their settings', async () => {
  await look('/namespaces/new', 'cluster-form', async (page) => {
    await page.getByRole('radio', { name: /^cassandra/ }).check()
    await page.getByText('Advanced: timeouts').click()
    expect(await page.getByLabel('Cluster', { exact: true }).inputValue()).toBe('local')
    await page.getByText('2 of 3, 1 may be away').first().waitFor()
  })
})

test('what is made in the form is on the cluster', async () => {
  await withPage({ browser, session }, {}, async (page) => {
    await page.goto(`${gateway.url}/namespaces/new`)
    await page.getByLabel('Name', { exact: true }).fill('formed')
    await page.getByRole('radio', { name: /^cassandra/ }).check()
    await page.getByLabel('Copies of each record').fill(String(copies))
    await page.getByText('Advanced: timeouts').click()
    await page.getByLabel('Timeout of a request').fill('9000')
    await page.getByRole('button', { name: 'Create namespace' }).click()
    await page.getByRole('table', { name: 'Nodes of the cluster' }).waitFor()
  })
  const made = await call(gateway, 'GET', '/api/v1/namespaces/formed')
  const cluster = { name: 'local', replication: copies, timeoutMs: 9000 }
  expect(made).toMatchObject({ state: 'ready', config: { storage: { engine: 'cassandra', cluster } } })
  const dataCentres = [{ name: 'datacenter1', nodes: points.length, connected: points.length }]
  expect(await call(gateway, 'GET', '/api/v1/clusters')).toMatchObject({
    items: [{ name: 'local', contactPoints: points, namespaces: ['formed'], dataCentres }],
  })
})

test('each of its pages is whole', async () => {
  const set = '/api/v1/namespaces/formed/sets/orders'
  for (let n = 0; n < 20; n += 1) {
    const record = { n, city: n % 2 === 0 ? 'Rome' : 'Oslo', lines: [{ article: `a${n}`, pieces: n }] }
    expect((await send(gateway, 'PUT', `${set}/records/o${n}`, record)).status).toBe(201)
  }
  const index = { name: 'by-city', set: 'orders', bin: 'city', kind: 'document' }
  expect(
    await finish(gateway, await call<Job>(gateway, 'POST', '/api/v1/namespaces/formed/indexes', index)),
  ).toMatchObject({ state: 'done' })
  const pages: [path: string, name: string, text: string | RegExp][] = [
    ['/namespaces/formed', 'cluster-overview', 'Where the records are'],
    ['/namespaces/formed/sets', 'cluster-sets', 'numbers are estimates'],
    ['/namespaces/formed/indexes', 'cluster-indexes', 'by-city'],
    ['/namespaces/formed/cluster', 'cluster-cluster', 'Ranges of tokens'],
    ['/namespaces/formed/config', 'cluster-config', 'local_quorum'],
    ['/namespaces/formed/migrate', 'cluster-migrate', /cluster|Target/],
    ['/namespaces/formed/danger', 'cluster-danger', 'the records stay on the cluster'],
    ['/namespaces', 'cluster-list', 'cassandra'],
    ['/records?ns=formed&set=orders', 'cluster-records', 'o1'],
    ['/query?ns=formed&set=orders', 'cluster-query', 'every row of the cluster'],
    ['/scans?ns=formed&set=orders', 'cluster-scans', 'every row of the cluster'],
    ['/indexes?ns=formed', 'cluster-all-indexes', 'by-city'],
  ]
  for (const [path, name, text] of pages)
    await look(path, name, async (page) => {
      await page.getByText(text).first().waitFor()
      await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
    })
})
