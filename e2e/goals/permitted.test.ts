import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { follow, openPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'
import { call, createNamespace, finish, type Job, send } from '../gateway/client.ts'
import { importRows } from '../gateway/rows.ts'

// Who may not do something is not offered it, and the console asks for nothing that is refused: every page of the console,
// with the tokens of the roles below admin.

const roles = ['reader', 'writer', 'operator'] as const

/** What a page offers from a role on; the last three are for nobody here. */
const offers: readonly (readonly [path: string, name: string, from: (typeof roles)[number] | 'admin'])[] = [
  ['/namespaces', 'Create a namespace', 'operator'],
  ['/namespaces/new', 'Create namespace', 'operator'],
  ['/namespaces/$ns', 'Migrate', 'operator'],
  ['/namespaces/$ns/sets', 'Scan', 'reader'],
  ['/namespaces/$ns/schema', 'Read again', 'reader'],
  ['/namespaces/$ns/sets', 'Truncate…', 'operator'],
  ['/namespaces/$ns/sets', 'Create a set', 'operator'],
  ['/namespaces/$ns/storage', 'Compact', 'operator'],
  ['/namespaces/$ns/config', 'Review…', 'operator'],
  ['/namespaces/$ns/danger', 'Drop shop…', 'operator'],
  ['/records', 'New record', 'writer'],
  ['/query', 'Save', 'writer'],
  ['/query', 'Run query', 'reader'],
  ['/import', 'Choose a file', 'writer'],
  ['/scans', 'Measure speed-up', 'operator'],
  ['/indexes', 'Create an index', 'operator'],
  ['/indexes/$ns/$name', 'Drop…', 'operator'],
  ['/jobs', 'Count records', 'operator'],
  ['/backups', 'Back up now', 'operator'],
  ['/backups', 'Set a schedule', 'operator'],
  ['/slow', 'Set threshold', 'operator'],
  ['/benchmarks', 'New run', 'operator'],
  ['/benchmarks/$id', 'Forget', 'operator'],
  ['/lab', 'Run here', 'operator'],
  ['/alerts', 'New rule', 'operator'],
  ['/alerts', 'Set…', 'admin'],
  ['/access', 'New token', 'admin'],
  ['/access', 'New user', 'admin'],
  ['/about', 'Download diagnostics', 'admin'],
  ['/about', 'Show the licences of all parts', 'reader'],
  ['/', 'Audit', 'admin'],
  ['/', 'Configuration', 'admin'],
  ['/', 'Access', 'reader'],
]

let site: Site
let run: string
const tokens = new Map<string, string>()

beforeAll(async () => {
  site = await openSite()
  const { gateway } = site
  await createNamespace(gateway, { name: 'shop', storage: { engine: 'memory' } })
  await createNamespace(gateway, { name: 'archive', storage: { engine: 'device' } })
  await createNamespace(gateway, { name: 'vault', storage: { engine: 'paged', cacheBytes: 64 * 1024 * 1024 } })
  await importRows(
    gateway,
    'shop',
    'orders',
    Array.from({ length: 50 }, (_, n) => ({ key: `order-${n}`, detail: { n } })),
  )
  const spec = { name: 'detail', set: 'orders', bin: 'detail', kind: 'document', threads: 1 }
  await finish(gateway, await call<Job>(gateway, 'POST', '/api/v1/namespaces/shop/indexes', spec))
  const load = { namespace: 'shop', set: 'load', operations: 100, keys: 100, threads: 1 }
  run = (await call<{ id: string }>(gateway, 'POST', '/api/v1/workloads', load)).id
  const ended = async () => (await call<{ endedAt?: string }>(gateway, 'GET', `/api/v1/workloads/${run}`)).endedAt
  await vi.waitFor(async () => expect(await ended()).toBeDefined(), { timeout: 60_000 })
  for (const role of roles) {
    const made = await call<{ token: string }>(gateway, 'POST', '/api/v1/tokens', { name: role, grants: [{ role }] })
    tokens.set(role, made.token)
  }
})

afterAll(() => site.close())

/** A path to a route of the console. */
function addressOf(path: string): string {
  const of = { device: 'archive', storage: 'vault' }[path.split('/').at(-1) ?? ''] ?? 'shop'
  const address = path.replace('$ns', of).replace('$name', 'detail').replace('$id', run)
  expect(address, 'this test has no value for a parameter of the route').not.toContain('$')
  const search = ['/records', '/scans', '/streams'].includes(path) ? '?ns=shop&set=orders' : ''
  return address + (['/query', '/import'].includes(path) ? '?ns=shop' : search)
}

/** The routes of the console, but the sign-in page. */
async function routesOf(page: Page): Promise<string[]> {
  await page.goto(`${site.gateway.url}/lab`)
  // The heading is drawn before the scripts run, so the router is what to wait for.
  const found = await page.waitForFunction(() => {
    const { __TSR_ROUTER__: router } = globalThis as unknown as { __TSR_ROUTER__?: { routesByPath: object } }
    return router === undefined ? undefined : Object.keys(router.routesByPath)
  })
  const paths = (await found.jsonValue()) ?? []
  return [...new Set(paths.map((path) => (path === '/' ? path : path.replace(/\/$/, ''))))].filter(
    (path) => path !== '/login',
  )
}

/** `anew`: it is loaded, and not followed from another page. */
async function open(page: Page, path: string, anew = false): Promise<void> {
  if (anew) {
    await page.goto(site.gateway.url + addressOf(path))
    // The frame of a page is drawn before its scripts run, and has no buttons of its own.
    await page.locator('footer.calls').waitFor()
  } else await follow(page, addressOf(path))
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => page.locator('[aria-busy=true]').count(), { message: path }).toBe(0)
}

/** Whether the page, or the navigation, has a button or link of this name. */
async function isOffered(page: Page, name: string): Promise<boolean> {
  const found = page.locator('button, a').filter({ hasText: new RegExp(`^${name}$`), visible: true })
  return (await found.count()) > 0
}

/** Presses each button of the page once, and those of a dialog that it opens. */
function pressAll(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const painted = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const nameOf = (button: Element) => button.getAttribute('aria-label') ?? button.textContent
    const buttonsIn = (place: string) => [...document.querySelectorAll<HTMLButtonElement>(`${place} button:enabled`)]
    const pressed = new Set<string>()
    const names = new Set<string>()
    const pressIn = async (place: string, inside: boolean): Promise<void> => {
      for (;;) {
        const next = buttonsIn(place).find((button) => !pressed.has(place + nameOf(button)))
        if (next === undefined) return
        pressed.add(place + nameOf(next))
        if (/^(Close|Copy|Cancel)/.test(nameOf(next))) continue
        const from = location.pathname
        names.add(nameOf(next))
        next.click()
        await painted()
        if (location.pathname !== from) history.back()
        if (!inside && document.querySelector('[role=dialog]') !== null) {
          await pressIn('[role=dialog]', true)
          for (const close of document.querySelectorAll<HTMLElement>('[role=dialog] > header > button')) close.click()
          await painted()
        }
      }
    }
    await pressIn('main', false)
    await pressIn('.pagebar .controls', false)
    return [...names]
  })
}

describe.each(roles)('%s', (role) => {
  test('every page asks for nothing that is refused, and offers what the role may do', async () => {
    const { page, heard } = await openPage({ browser: site.browser })
    await page.context().setExtraHTTPHeaders({ authorization: `Bearer ${tokens.get(role) ?? ''}` })
    const refused: string[] = []
    page.on('response', (answer) => {
      if ([401, 403].includes(answer.status()))
        refused.push(`${answer.status()} ${answer.request().method()} ${answer.url()} on ${page.url()}`)
    })
    const routes = await routesOf(page)
    expect(routes).toContain('/namespaces/$ns/sets')
    const said: string[] = []
    const pressed: string[] = []
    for (const path of routes) {
      // What was pressed before may be on its way yet.
      await open(page, path, role === 'reader')
      if ((await page.getByRole('heading', { name: 'Not permitted' }).count()) > 0) said.push(path)
      for (const [at, name, from] of offers) {
        if (at !== path) continue
        const may = from !== 'admin' && roles.indexOf(role) >= roles.indexOf(from)
        await expect.poll(() => isOffered(page, name), { message: `${name} on ${path}` }).toBe(may)
      }
      // What a reader can press changes nothing.
      if (role === 'reader') pressed.push(...(await pressAll(page)))
    }
    expect(pressed.includes('Run query') && pressed.includes('Saved and history'), String(pressed)).toBe(
      role === 'reader',
    )
    expect(refused).toEqual([])
    expect(heard).toEqual([])
    const ofAdmins = ['/config', '/audit']
    expect(said).toEqual(role === 'operator' ? ofAdmins : ['/namespaces/new', '/namespaces/$ns/danger', ...ofAdmins])
    await page.context().close()
  })
})

test('a page that is opened by its address says which role it needs', async () => {
  const { page } = await openPage({ browser: site.browser })
  await page.context().setExtraHTTPHeaders({ authorization: `Bearer ${tokens.get('writer') ?? ''}` })
  await open(page, '/audit', true)
  await page.getByText('This page needs the role admin').waitFor()
  await page.getByText('writer has the role writer.').waitFor()
  await page.goto(`${site.gateway.url}/indexes?create=true`)
  await page.getByRole('dialog').getByText('Creating an index needs the role operator.').waitFor()
  // The server is of the same mind.
  const { status } = await send({ ...site.gateway, token: tokens.get('writer') ?? '' }, 'GET', '/api/v1/tokens')
  expect(status).toBe(403)
  await page.context().close()
})
