import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examineLooks, withPage } from '../browser/browser.ts'
import { openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'
import { call, send } from '../gateway/client.ts'
import { newHome, removeHome } from '../gateway/gateway.ts'
import { bash } from '../gateway/shell.ts'

// The page of the API sends operations, and shows each as a program that works as pasted.

const home = newHome()
let site: Site

beforeAll(async () => {
  site = await openShop([{ key: 'ada', n: 1 }])
})

afterAll(async () => {
  await site.close()
  removeHome(home)
})

const open = (page: Page, operation: string) => page.goto(`${site.gateway.url}/api?op=${operation}`)

const fill = async (page: Page, values: Record<string, string>): Promise<void> => {
  for (const [name, value] of Object.entries(values))
    await page.getByRole('textbox', { name: new RegExp(`^${name} `) }).fill(value)
}

const place = { ns: 'shop', set: 'orders', key: "it\"s $HOME 'x'" }
const recordPath = `/api/v1/namespaces/shop/sets/orders/records/${encodeURIComponent(place.key)}`

const commands: [language: string, command: (snippet: string) => string][] = [
  ['curl', (snippet) => snippet],
  ['JavaScript', (snippet) => `cat > call.mjs <<'END'\n${snippet}\nEND\nnode call.mjs`],
  ['Python', (snippet) => `cat > call.py <<'END'\n${snippet}\nEND\npython3 call.py`],
]

describe('a write is sent', () => {
  test('by the page', async () => {
    await withPage(site, {}, async (page) => {
      await open(page, 'putRecord')
      await fill(page, place)
      await page.getByRole('textbox', { name: 'Body' }).fill('{"from":"the page","n":9007199254740993}')
      await page.getByRole('button', { name: 'Send PUT' }).click()
      await page.getByRole('status').getByText('201').waitFor()
    })
    expect(await call(site.gateway, 'GET', recordPath)).toMatchObject({ bins: { from: 'the page' } })
  })

  test.each(commands)('by the program for %s, as pasted', async (language, command) => {
    const from = `a program's "${language}"\n$HOME \`x\``
    let snippet = ''
    await withPage(site, {}, async (page) => {
      await open(page, 'putRecord')
      await fill(page, place)
      await page.getByRole('textbox', { name: 'Body' }).fill(JSON.stringify({ from }))
      await page.getByRole('radio', { name: language }).check({ force: true })
      snippet = (await page.getByLabel(`The call in ${language}`).textContent()) ?? ''
    })
    const ran = await bash(command(snippet), { cwd: home })
    expect(ran.code, `${snippet}\n${ran.stderr}`).toBe(0)
    expect(await call(site.gateway, 'GET', recordPath)).toMatchObject({ bins: { from } })
  })
})

describe('the calls at the foot of a page', () => {
  test.each(commands)('are programs for %s, as pasted', async (language, command) => {
    const from = `the foot's "${language}"\n$HOME \`x\``
    let snippet = ''
    await withPage(site, {}, async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await open(page, 'putRecord')
      await fill(page, place)
      await page.getByRole('textbox', { name: 'Body' }).fill(JSON.stringify({ from }))
      await page.getByRole('button', { name: 'Send PUT' }).click()
      await page.getByRole('status').getByText(/^20/).waitFor()
      const foot = page.getByRole('contentinfo', { name: 'API calls of this page' })
      await foot.getByText(/^API calls of this page: /).click()
      await foot.getByRole('radio', { name: language }).check({ force: true })
      const written = foot.getByRole('listitem').filter({ hasText: 'PUT' })
      await written.getByRole('button', { name: `Copy as ${language}` }).click()
      await written.getByRole('button', { name: 'Copied' }).waitFor()
      snippet = await page.evaluate(() => navigator.clipboard.readText())
    })
    expect((await send(site.gateway, 'DELETE', recordPath)).status).toBe(204)
    const ran = await bash(command(snippet), { cwd: home })
    expect(ran.code, `${snippet}\n${ran.stderr}`).toBe(0)
    expect(await call(site.gateway, 'GET', recordPath)).toMatchObject({ bins: { from } })
  })
})

test('an operation with an answer is looked at', async () => {
  await withPage(site, {}, async (page) => {
    await open(page, 'getNamespace')
    await fill(page, { ns: 'shop' })
    await page.getByRole('button', { name: 'Send GET' }).click()
    await page.getByLabel('Body of the answer').getByText('"name": "shop"').waitFor()
    expect(await examineLooks(page, 'api-page')).toEqual([])
  })
})
