// The pages that the gateway makes itself keep the policy that it sends: nothing inline. Those of the console are in pages.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'

let site: Site

beforeAll(async () => {
  site = await openSite()
})

afterAll(() => site.close())

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test('the address of the documentation leads to the API, which sends an operation, and complains of nothing', async () => {
    const { page, heard } = await openPage(site, { colorScheme })
    await page.goto(`${site.gateway.url}/docs`)
    await page.getByRole('searchbox', { name: 'Search' }).fill('getStatus')
    await page.getByRole('navigation', { name: 'Operations' }).getByRole('link').click()
    await page.getByRole('button', { name: 'Send GET' }).click()
    await page.getByLabel('Body of the answer').getByText('"healthy": true').waitFor()
    expect(heard).toEqual([])
    await page.context().close()
  })

  test('the table of errors has its looks, and complains of nothing', async () => {
    const { page, heard } = await openPage(site, { colorScheme })
    await page.goto(`${site.gateway.url}/docs/errors`)
    const margin = await page.evaluate(() => getComputedStyle(document.body).marginLeft)
    expect([margin, heard]).toEqual(['32px', []])
    await page.context().close()
  })
})

test.each(['/', '/docs/errors'])('a style that is injected into %s is refused', async (path) => {
  const { page, heard } = await openPage(site, {})
  await page.goto(site.gateway.url + path)
  await page.evaluate(() => {
    const style = document.createElement('style')
    style.textContent = 'body { display: none }'
    document.head.append(style)
  })
  await expect.poll(() => heard.join('\n')).toContain('Content Security Policy')
  expect(await page.evaluate(() => getComputedStyle(document.body).display)).not.toBe('none')
  await page.context().close()
})

test.each(['/', '/live', '/docs/errors'])('the policy of %s names all sources, and none is unsafe', async (path) => {
  const response = await fetch(site.gateway.url + path, { headers: { authorization: `Bearer ${site.gateway.token}` } })
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'self'")
  expect(policy).not.toMatch(/unsafe|\*|script-src[^;]*(http|blob|data):/)
})
