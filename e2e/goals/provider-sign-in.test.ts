import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Provider } from 'oidc-provider'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePages, openBrowser } from '../browser/browser.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

// A person signs in to the console with an account at an OpenID Connect provider, in a real browser.

const home = newHome()
let server: Server
let gateway: Gateway
let browser: Browser

beforeAll(async () => {
  server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const grants = join(home, 'grants.json')
  writeFileSync(grants, JSON.stringify({ claim: 'groups', grants: { staff: [{ role: 'operator' }] } }))
  // It starts before anybody answers there.
  gateway = await startGateway(home, [], {
    TESSERA_OIDC_ISSUER: issuer,
    TESSERA_OIDC_CLIENT_ID: 'tessera',
    TESSERA_OIDC_SCOPES: 'openid profile groups',
    TESSERA_OIDC_GRANTS: grants,
  })
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'tessera',
        redirect_uris: [`${gateway.url}/login/oidc/callback`],
        post_logout_redirect_uris: [`${gateway.url}/login`],
        token_endpoint_auth_method: 'none',
      },
    ],
    cookies: { keys: ['a key of cookies'] },
    scopes: ['openid', 'profile', 'groups'],
    claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
    findAccount: (_ctx: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, preferred_username: id, groups: id === 'ada' ? ['staff'] : [] }),
    }),
  })
  server.on('request', provider.callback())
  browser = await openBrowser()
})

afterAll(async () => {
  await closePages(browser)
  await gateway.stop()
  server.closeAllConnections()
  server.close()
  removeHome(home)
})

/** Goes through the pages of the provider as a person does. */
async function passThrough(person: string, path: string) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${gateway.url}${path}`)
  await page.getByRole('link', { name: /^Sign in with 127\.0\.0\.1:/ }).click()
  await page.locator('input[name=login]').fill(person)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('button[type=submit]').filter({ hasText: 'Continue' }).click()
  return page
}

test('signs in with the provider, lands on the page asked for, and signs out here and there', async () => {
  const page = await passThrough('ada', '/jobs?state=failed')
  await page.waitForURL(`${gateway.url}/jobs?state=failed`)
  await expect.poll(() => page.getByText('ada · operator').count()).toBeGreaterThan(0)
  await page.goto(`${gateway.url}/access`)
  await expect.poll(() => page.getByText('by the provider').count()).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.waitForURL(/\/session\/end/)
  expect((await page.request.get(`${gateway.url}/api/v1/auth/me`)).status()).toBe(401)
  await page.locator('button[name=logout]').click()
  await page.waitForURL(`${gateway.url}/login`)
  // The provider asks again who it is.
  await page.getByRole('link', { name: /^Sign in with 127\.0\.0\.1:/ }).click()
  await page.locator('input[name=login]').waitFor()
})

test('a person without access is told so on the sign-in page', async () => {
  const page = await passThrough('eve', '/jobs')
  await page.waitForURL(/failed=oidc_no_grants/)
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('You may do nothing here yet')
})
