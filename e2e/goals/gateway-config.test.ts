import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closePages, examineLooks, logIn, openBrowser, openPage, type Session, withPage } from '../browser/browser.ts'
import { call, send } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

// An administrator changes settings of the server in the console: they go into the file, hold at once, and are rolled back in
// two clicks. What needs a restart, and what somebody does to the file meanwhile, is refused. A restart keeps all of it.

const home = newHome()
const file = join(home, 'tessera.json')
const original = `// Of the team.
{
  "streams": 64, // few
  "hosts": ["127.0.0.1", "localhost"],
}
`
let browser: Browser
let gateway: Gateway
let session: Session

async function start(): Promise<void> {
  gateway = await startGateway(home, ['--config', file])
  session = await logIn(browser, gateway)
}

beforeAll(async () => {
  writeFileSync(file, original, { mode: 0o640 })
  browser = await openBrowser()
  await start()
})

afterAll(async () => {
  await closePages(browser)
  await gateway.stop()
  removeHome(home)
})

const table = (page: Page) => page.getByRole('region', { name: 'Table: Settings of the server' })
const review = (page: Page) => page.getByRole('button', { name: 'Review…' })
const apply = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Apply' })

const visit = (use: (page: Page) => Promise<void>, search = ''): Promise<void> =>
  withPage({ browser, session }, {}, async (page) => {
    await page.goto(`${gateway.url}/config${search}`)
    await table(page).waitFor()
    await use(page)
  })

/** A visit in which the server refuses something, which the browser tells. */
async function refused(status: number, use: (page: Page) => Promise<void>): Promise<void> {
  const { page, heard } = await openPage({ browser, session })
  await page.goto(`${gateway.url}/config`)
  await table(page).waitFor()
  await use(page)
  expect(heard.filter((line) => !line.includes(String(status)))).toEqual([])
  await page.context().close()
}

interface Config {
  settings: { key: string; value: string; source: string }[]
}
const valueOf = async (key: string) =>
  (await call<Config>(gateway, 'GET', '/api/v1/config')).settings.find((one) => one.key === key)?.value
const revisions = async () =>
  (
    await call<{ items: { number: number; cause: string; who: string; reason?: string }[] }>(
      gateway,
      'GET',
      '/api/v1/config/revisions',
    )
  ).items

describe('the settings of the server', () => {
  test('are edited in place, reviewed, and written into the file with its comments', async () => {
    await visit(async (page) => {
      await page.getByLabel('streams', { exact: true }).fill('32')
      await page.getByLabel('logLevel', { exact: true }).selectOption('warn')
      await review(page).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('more are refused. It holds at once.').waitFor()
      await dialog.getByText('PATCH').waitFor()
      await dialog.getByLabel('Reason').fill('Too many exports.')
      expect(readFileSync(file, 'utf8')).toBe(original)
      await apply(page).click()
      await page.getByText('Settings saved').waitFor()
      await page.getByRole('row', { name: /Too many exports\./ }).waitFor()
    })
    expect(readFileSync(file, 'utf8')).toBe(
      original.replace('64', '32').replace('"localhost"],\n', '"localhost"],\n  "logLevel": "warn",\n'),
    )
    expect([await valueOf('streams'), await valueOf('logLevel')]).toEqual(['32', 'warn'])
  })

  test('say at the field what is wrong, and what the server refuses', async () => {
    await refused(400, async (page) => {
      const hosts = page.getByLabel('hosts', { exact: true })
      await page.getByLabel('streams', { exact: true }).fill('none')
      await page.getByText('Enter a whole number.').waitFor()
      await expect.poll(() => review(page).isDisabled()).toBe(true)
      await page.getByRole('button', { name: 'Undo the edit of streams' }).click()
      await hosts.fill('db.example.com')
      await review(page).click()
      await page.getByRole('alert').filter({ hasText: 'you could not undo it here' }).first().waitFor()
      await expect.poll(() => hosts.getAttribute('aria-invalid')).toBe('true')
    })
    expect(await valueOf('hosts')).toBe('127.0.0.1,localhost')
  })

  test('that need a restart have no field, and the server refuses them', async () => {
    await visit(async (page) => {
      await page
        .getByRole('row', { name: /^port port to listen on/ })
        .getByText('a restart')
        .waitFor()
      await expect.poll(() => page.getByLabel('port', { exact: true }).count()).toBe(0)
    })
    const answer = await send(gateway, 'PATCH', '/api/v1/config', { settings: { port: 1 } })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code: 'setting_fixed', field: 'settings.port' })
  })

  test('are not written over what somebody has done to the file', async () => {
    await refused(409, async (page) => {
      await page.getByLabel('streams', { exact: true }).fill('16')
      writeFileSync(file, readFileSync(file, 'utf8').replace('"warn"', '"error"'))
      await review(page).click()
      await page.getByRole('alert').getByText('config_file_changed').waitFor()
      await page.getByText('The file was changed outside.').waitFor()
      await page.getByRole('button', { name: 'Reload', exact: true }).click()
      await page.getByText('The file was read again. 1 setting changed.').waitFor()
      await expect.poll(() => page.getByLabel('streams', { exact: true }).inputValue()).toBe('16')
      await review(page).click()
      await apply(page).click()
      await page.getByText('Settings saved').waitFor()
    })
    expect([await valueOf('streams'), await valueOf('logLevel')]).toEqual(['16', 'error'])
    expect((await revisions()).map(({ cause }) => cause)).toEqual(['changed', 'found', 'changed', 'created'])
  })

  test('are rolled back in two clicks, also after a restart', async () => {
    const before = await revisions()
    await gateway.stop()
    await start()
    expect(await revisions()).toEqual(before)
    expect(await valueOf('streams')).toBe('16')
    await visit(async (page) => {
      await page.getByRole('button', { name: 'Roll back to revision 1' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
      await page.getByText('Rolled back to revision 1', { exact: true }).waitFor()
    })
    expect(readFileSync(file, 'utf8')).toBe(original)
    expect((await revisions())[0]).toMatchObject({ cause: 'restored', restored: 1 })
  })

  test('are searched and compared, and the address keeps that', async () => {
    await visit(async (page) => {
      await page.getByLabel('Compare with', { exact: true }).selectOption({ label: 'the defaults' })
      await page.getByRole('row', { name: /^streams.*differs 128/ }).waitFor()
      await page.getByRole('switch', { name: 'Only what differs' }).click()
      await page.getByRole('searchbox', { name: 'Search the settings' }).fill('names requests')
      await expect.poll(() => page.getByRole('row', { name: /^streams/ }).count()).toBe(0)
      await page.reload()
      await page.getByRole('row', { name: /^hosts/ }).waitFor()
      await expect.poll(() => table(page).getByRole('row').count()).toBe(3)
    })
  })

  test('table, review and roll back have no faults', async () => {
    await visit(async (page) => {
      await page.getByLabel('streams', { exact: true }).fill('8')
      expect(await examineLooks(page, 'gateway-config')).toEqual([])
      await review(page).click()
      await apply(page).waitFor()
      expect(await examineLooks(page, 'gateway-config-review')).toEqual([])
    }, '?with=defaults')
  })
})
