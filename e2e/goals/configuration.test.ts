import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closePages, examineLooks, logIn, openBrowser, openPage, type Session, withPage } from '../browser/browser.ts'
import { call, createNamespace } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

// An operator changes settings of a namespace, sees what that does before it is done, and rolls it back in two clicks. Two
// operators do not overwrite each other, and a restart keeps the history.

const PATH = '/api/v1/namespaces/shop'
const home = newHome()
let browser: Browser
let gateway: Gateway
let session: Session

async function start(): Promise<void> {
  gateway = await startGateway(home)
  session = await logIn(browser, gateway)
}

beforeAll(async () => {
  browser = await openBrowser()
  await start()
  await createNamespace(gateway, { name: 'shop', storage: { engine: 'device' } })
  await createNamespace(gateway, { name: 'logs', storage: { engine: 'memory' }, segments: 16 })
})

afterAll(async () => {
  await closePages(browser)
  await gateway.stop()
  removeHome(home)
})

const visit = (use: (page: Page) => Promise<void>, search = ''): Promise<void> =>
  withPage({ browser, session }, {}, async (page) => {
    await page.goto(`${gateway.url}/namespaces/shop/config${search}`)
    await page.getByRole('region', { name: 'Table: Settings of shop' }).waitFor()
    await use(page)
  })

/** A visit in which the server refuses something, which the browser tells. */
async function refused(status: number, use: (page: Page) => Promise<void>): Promise<void> {
  const { page, heard } = await openPage({ browser, session })
  await page.goto(`${gateway.url}/namespaces/shop/config`)
  await use(page)
  expect(heard.filter((line) => !line.includes(String(status)))).toEqual([])
  await page.context().close()
}

const config = async () =>
  (await call<{ config: { defaultTtlSeconds: number; evictAtPercent: number } }>(gateway, 'GET', PATH)).config
const revisions = async () =>
  (
    await call<{ items: { number: number; cause: string; reason?: string; who: string }[] }>(
      gateway,
      'GET',
      `${PATH}/config/revisions`,
    )
  ).items
const TTL = 'default TTL, seconds'
const review = (page: Page) => page.getByRole('button', { name: 'Review…' })
const apply = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Apply' })

describe('the settings of a namespace', () => {
  test('are edited in place, reviewed with what the change does, and applied with a reason', async () => {
    await visit(async (page) => {
      await page.getByLabel(TTL).fill('86400')
      await page.getByText('1 d 0 h').waitFor()
      await review(page).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Records that are written from now on get this time to live.').waitFor()
      await dialog.getByLabel('Reason').fill('Sessions end after a day.')
      expect((await config()).defaultTtlSeconds).toBe(0)
      await apply(page).click()
      await page.getByText('Settings saved').waitFor()
      await page.getByRole('row', { name: /Sessions end after a day\./ }).waitFor()
    })
    expect((await config()).defaultTtlSeconds).toBe(86_400)
    expect((await revisions())[0]).toMatchObject({ number: 2, reason: 'Sessions end after a day.' })
  })

  test('say at the field what the server refuses', async () => {
    await refused(400, async (page) => {
      await page.getByLabel('evict at, percent').fill('95')
      await review(page).click()
      await page.getByRole('alert').filter({ hasText: 'evictAtPercent must be below' }).first().waitFor()
      await expect.poll(() => page.getByLabel('evict at, percent').getAttribute('aria-invalid')).toBe('true')
    })
  })

  test('of two operators, the second sees that the first was faster, and loses nothing', async () => {
    await refused(412, async (page) => {
      await page.getByLabel(TTL).fill('60')
      await review(page).click()
      await apply(page).waitFor()
      await call(gateway, 'PATCH', PATH, { evictAtPercent: 50, reason: 'I was first.' })
      await apply(page).click()
      await page.getByRole('dialog').getByRole('alert').getByText('Someone else changed it first.').waitFor()
      expect((await config()).defaultTtlSeconds).toBe(86_400)
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
      await expect.poll(() => page.getByLabel(TTL).inputValue()).toBe('60')
      await expect.poll(() => page.getByLabel('evict at, percent').inputValue()).toBe('50')
      await review(page).click()
      await apply(page).click()
      await page.getByText('Settings saved').waitFor()
    })
    expect(await config()).toMatchObject({ defaultTtlSeconds: 60, evictAtPercent: 50 })
  })

  test('are rolled back in two clicks, also after a restart', async () => {
    const before = await revisions()
    await gateway.stop()
    await start()
    expect(await revisions()).toEqual(before)
    await visit(async (page) => {
      await page.getByRole('button', { name: 'Roll back to revision 1' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
      await page.getByText('Rolled back to revision 1', { exact: true }).waitFor()
    })
    expect(await config()).toMatchObject({ defaultTtlSeconds: 0, evictAtPercent: 0 })
    expect((await revisions())[0]).toMatchObject({ cause: 'restored' })
  })

  test('are compared with another namespace, and the address keeps that', async () => {
    await visit(async (page) => {
      await page.getByLabel('Compare with', { exact: true }).click()
      await page.getByRole('combobox', { name: 'Search the choices' }).fill('logs')
      await page.getByRole('option', { name: 'namespace logs' }).click()
      await page.getByRole('row', { name: /segments.*256.*differs 16/ }).waitFor()
      await page.getByRole('switch', { name: 'Only what differs' }).click()
      await expect.poll(() => page.getByRole('row', { name: /^container/ }).count()).toBe(0)
      await page.reload()
      await page.getByRole('row', { name: /segments.*256.*differs 16/ }).waitFor()
      await expect.poll(() => page.getByRole('row', { name: /^container/ }).count()).toBe(0)
    })
  })

  test('table, review, roll back and JSON have no faults', async () => {
    await visit(async (page) => {
      await page
        .getByRole('row', { name: /differs/ })
        .first()
        .waitFor()
      expect(await examineLooks(page, 'config')).toEqual([])
      await page.getByLabel(TTL).fill('30')
      await review(page).click()
      await apply(page).waitFor()
      expect(await examineLooks(page, 'config-review')).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Roll back to revision 2' }).click()
      await page.getByRole('dialog').getByText('Records that are written').waitFor()
      expect(await examineLooks(page, 'config-roll-back')).toEqual([])
    }, '?with=revision:2')
    await withPage({ browser, session }, {}, async (page) => {
      await page.goto(`${gateway.url}/namespaces/shop/config?form=json`)
      await page.getByLabel('Settings as JSON').waitFor()
      expect(await examineLooks(page, 'config-json')).toEqual([])
    })
  })
})
