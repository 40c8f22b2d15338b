import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, openPage } from '../browser/browser.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { bash } from '../gateway/shell.ts'

// A proxy serves the console and the API below a path, beside whatever else its host has.

const command = fileURLToPath(new URL('../../server/tessera.mjs', import.meta.url))
const BASE = '/apps/tessera'

describe.each([
  ['keeps the path', ''],
  ['takes the path away', BASE],
])('behind a proxy that %s', (_, taken) => {
  const home = newHome()
  let gateway: Gateway
  let proxy: Server
  let origin: string
  let browser: Browser
  let page: Page
  let heard: string[]
  /** Paths that were asked for outside of the base. */
  const outside: string[] = []

  beforeAll(async () => {
    gateway = await startGateway(home, [], { TESSERA_BASE_PATH: BASE, TESSERA_TRUSTED_PROXIES: '127.0.0.1' })
    proxy = createServer((asked, answer) => {
      const { url = '', method, headers } = asked
      if (!/^\/apps\/tessera(?=[/?]|$)/.test(url)) {
        outside.push(url)
        answer.writeHead(404).end()
        return
      }
      const { port } = new URL(gateway.url)
      const forwarded = { ...headers, 'x-forwarded-host': headers.host, 'x-forwarded-proto': 'http' }
      const passed = request({ port, method, path: url.slice(taken.length) || '/', headers: forwarded, agent: false })
      passed.on('response', (given) => {
        answer.writeHead(given.statusCode ?? 502, given.headers)
        answer.flushHeaders()
        given.pipe(answer)
      })
      passed.on('error', () => answer.destroy())
      answer.on('close', () => passed.destroy())
      asked.pipe(passed)
    })
    await new Promise<void>((resolve) => {
      proxy.listen(0, '127.0.0.1', resolve)
    })
    origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    browser = await openBrowser()
    ;({ page, heard } = await openPage({ browser }))
  })

  afterAll(async () => {
    await page.context().close()
    await gateway.stop()
    proxy.closeAllConnections()
    proxy.close()
    removeHome(home)
  })

  test('the console signs in, shows live figures and pages, and writes', async () => {
    await page.goto(`${origin}${BASE}/jobs`)
    await page.waitForURL(`${origin}${BASE}/login?next=%2Fjobs`)
    await page.getByText('Administrator token', { exact: true }).click()
    await page.getByLabel('Token', { exact: true }).fill(gateway.token)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${origin}${BASE}/jobs`)
    const cookies = await page.context().cookies()
    expect(cookies.map(({ path }) => path)).toEqual([BASE])
    heard.length = 0

    await page.getByRole('link', { name: 'Namespaces', exact: true }).click()
    await page.waitForURL(`${origin}${BASE}/namespaces`)
    await page.goto(`${origin}${BASE}/namespaces/new`)
    await page.getByLabel('Name', { exact: true }).fill('demo')
    await expect.poll(() => page.getByText(`${origin}${BASE}/api/v1/namespaces`).count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Create namespace' }).click()
    await page.waitForURL(new RegExp(`^${origin}${BASE}/namespaces/demo`))

    await page.goto(`${origin}${BASE}/live`)
    await expect.poll(() => page.getByText('live', { exact: true }).count()).toBeGreaterThan(0)
    await page.locator('canvas').first().waitFor()
    await page.goto(`${origin}${BASE}/api`)
    await page.getByRole('link', { name: '/metrics' }).click()
    await expect.poll(() => page.getByText('tessera_').count()).toBeGreaterThan(0)
    await page.goto(`${origin}${BASE}/docs`)
    await page.getByRole('heading', { name: 'API', exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`${BASE}/api`)
    expect(heard).toEqual([])
    expect(outside).toEqual([])
  })

  test('the command line uses the address with its path', async () => {
    const { stdout } = await bash(`node ${command} --url ${origin}${BASE} namespaces list`, {
      cwd: home,
      env: { TESSERA_TOKEN: gateway.token },
    })
    expect(stdout).toMatch(/^demo +memory/m)
    expect(outside).toEqual([])
  })
})
