// The console with a namespace on a real cluster: what works is there, and what does not is said calmly.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePages, examine, logIn, looks, openBrowser, type Session, withPage } from '../../browser/browser.ts'
import { createNamespace, send } from '../../gateway/client.ts'
import { type Gateway, newHome, removeHome } from '../../gateway/gateway.ts'
import { onCluster, points, startGatewayOfCluster } from './cluster.ts'

const home = newHome()
let gateway: Gateway
let browser: Browser
let session: Session

beforeAll(async () => {
  browser = await openBrowser()
  gateway = await startGatewayOfCluster(home)
  await createNamespace(gateway, onCluster('shown'))
  session = await logIn(browser, gateway)
})
afterAll(async () => {
  await closePages(browser)
  await gateway.stop()
  removeHome(home)
})

const visit = async (path: string, name: string, check: (page: Page) => Promise<void>): Promise<void> => {
  for (const [look, view] of looks) {
    await withPage({ browser, session }, view, async (page) => {
      await page.goto(gateway.url + path)
      await check(page)
      expect(await examine(page, `${name}-${look}`)).toEqual([])
    })
  }
}

test('a namespace shows its nodes, and what it cannot do yet', async () => {
  await visit('/namespaces/shown', 'cluster-namespace', async (page) => {
    await page.getByRole('table', { name: 'Nodes of the cluster' }).waitFor()
    await page.getByText('has none of these: segments').waitFor()
    expect(await page.getByRole('link', { name: 'Segments', exact: true }).count()).toBe(0)
  })
})

test('the page of the cluster shows each node and what it has', async () => {
  await visit('/namespaces/shown/cluster', 'cluster-nodes', async (page) => {
    const table = page.getByRole('table', { name: 'Nodes' })
    await table
      .getByRole('row', { name: /normal.*datacenter1.*100%/ })
      .first()
      .waitFor()
    expect(await table.getByRole('row').count()).toBe(points.length + 1)
    const rings = page.getByRole('list', { name: 'What each node has of the ring' })
    expect(await rings.getByRole('listitem').count()).toBe(points.length)
  })
})

test('the list of namespaces has an estimate for it', async () => {
  await visit('/namespaces', 'cluster-namespaces', async (page) => {
    const row = page.getByRole('row', { name: /shown.*ready.*cassandra/ })
    await row.waitFor()
    expect(await row.innerText()).toMatch(/≈ \d/)
  })
})

test('the pages that read records ask for nothing that is refused', async () => {
  const written = await send(gateway, 'PUT', '/api/v1/namespaces/shown/sets/s/records/one', { n: 1 })
  expect(written.status).toBe(201)
  await visit('/records?ns=shown&set=s', 'cluster-records', (page) =>
    page.getByRole('button', { name: 'one', exact: true }).waitFor(),
  )
  await visit('/records?ns=shown', 'cluster-first-set', (page) =>
    page.getByRole('button', { name: 'one', exact: true }).waitFor(),
  )
  await visit('/namespaces/shown/sets', 'cluster-sets', async (page) => {
    await page.getByRole('table', { name: 'Sets of shown' }).getByRole('link', { name: 's', exact: true }).waitFor()
    await page.getByText('numbers are estimates').waitFor()
    expect(await page.getByRole('columnheader', { name: 'set index' }).count()).toBe(1)
    expect(await page.getByRole('columnheader', { name: 'limits' }).count()).toBe(0)
  })
  await visit('/namespaces/shown/danger', 'cluster-danger', (page) =>
    page.getByText('the records stay on the cluster').waitFor(),
  )
  for (const name of ['scans', 'query', 'streams']) {
    await visit(`/${name}?ns=shown&set=s`, `cluster-${name}`, (page) =>
      page.getByText('every row of the cluster').first().waitFor(),
    )
  }
})
