import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { closePages, logIn, openBrowser, withPage } from '../browser/browser.ts'
import { call, createNamespace, send } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

// An alert fires, tells its receiver once, outlives `kill -9` of the gateway, and is muted and tested in the console.

interface Notice {
  id: string
  kind: 'firing' | 'resolved' | 'test'
  rule: string
  namespace?: string
}

interface Alert {
  rule: string
  namespace?: string
  state: string
}

const rule = {
  name: 'Many records',
  severity: 'critical',
  threshold: { metric: 'namespace.records', when: 'above', value: 4, forSeconds: 1, resolveForSeconds: 1 },
}
const secret = 'a-secret-that-only-two-know'
const records = '/api/v1/namespaces/shop/sets/carts/records'
const settings = { TESSERA_WEBHOOK_PRIVATE: 'true' }
const home = newHome()
const received: Notice[] = []
let gateway: Gateway | undefined

/** Whether the notice is signed with the secret, over its bytes. */
function signed({ headers }: IncomingMessage, body: string): boolean {
  const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-tessera-signature'])) ?? []
  return createHmac('sha256', secret).update(`${time}.${body}`).digest('hex') === signature
}

async function take(request: IncomingMessage): Promise<void> {
  const body = await text(request)
  if (signed(request, body)) received.push(JSON.parse(body) as Notice)
}

const receiver = createServer((request, response) => {
  void take(request).finally(() => response.end())
})

afterAll(async () => {
  await gateway?.stop()
  receiver.closeAllConnections()
  receiver.close()
  removeHome(home)
})

const states = async (target: Gateway): Promise<string[]> =>
  (await call<{ items: Alert[] }>(target, 'GET', '/api/v1/alerts')).items
    .filter((alert) => alert.rule === rule.name && alert.namespace === 'shop')
    .map(({ state }) => state)

const notices = (kind: Notice['kind']): Notice[] =>
  received.filter((notice) => notice.kind === kind && notice.rule === rule.name)

test('an alert fires, outlives kill -9 without a second notice, and is resolved', async () => {
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  gateway = await startGateway(home, [], settings)
  await createNamespace(gateway, { name: 'shop', storage: { engine: 'device' } })
  // No other rule is to fire: how fast this machine is, or how full its disk, is not asked here.
  const { items } = await call<{ items: { id: string }[] }>(gateway, 'GET', '/api/v1/alerts/rules')
  for (const { id } of items) await call(gateway, 'DELETE', `/api/v1/alerts/rules/${id}`)
  await call(gateway, 'PUT', '/api/v1/alerts/webhook', { url: `http://127.0.0.1:${port}/hook`, secret })
  await call(gateway, 'POST', '/api/v1/alerts/rules', rule)
  for (let n = 0; n < 5; n += 1) await call(gateway, 'PUT', `${records}/cart-${n}`, { n })

  await expect.poll(() => notices('firing').length).toBe(1)
  expect(notices('firing')[0]).toMatchObject({ rule: rule.name, namespace: 'shop' })
  await gateway.stop('SIGKILL')
  gateway = await startGateway(home, [], settings)
  const again = gateway
  await expect.poll(() => states(again)).toEqual(['firing'])

  await send(gateway, 'DELETE', `${records}/cart-0`)
  await expect.poll(() => notices('resolved').length).toBe(1)
  expect(await states(gateway)).toEqual(['resolved'])
  // A notice that was sent just before the kill may come again, with its id.
  expect(new Set(notices('firing').map(({ id }) => id)).size).toBe(1)
})

test('the bell and the page show what fires; a rule is muted and tested there', async () => {
  if (gateway === undefined) throw new Error('the gateway did not start')
  const target = gateway
  const browser = await openBrowser()
  const session = await logIn(browser, target)
  await call(target, 'PUT', `${records}/cart-9`, { n: 9 })
  await expect.poll(() => states(target)).toEqual(['firing'])
  await withPage({ browser, session }, {}, async (page) => {
    await page.goto(`${target.url}/`)
    await page
      .getByRole('region', { name: 'Health' })
      .getByText(/Many records: .* is 5, above 4/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Alerts: 1 problem' }).click()
    await page.getByRole('dialog', { name: 'Alerts' }).getByRole('link', { name: 'Rules and history' }).click()

    await page.getByRole('button', { name: `Test ${rule.name}` }).click()
    await expect.poll(() => notices('test').length).toBe(1)

    await page.getByRole('button', { name: `Mute ${rule.name}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Mute', exact: true }).click()
    await page.getByRole('button', { name: `Unmute ${rule.name}` }).waitFor()
  })
  await closePages(browser)
  const [fired, ended] = [notices('firing').length, notices('resolved').length]
  await send(target, 'DELETE', `${records}/cart-9`)
  await expect.poll(() => states(target)).toEqual(['resolved'])
  await call(target, 'PUT', `${records}/cart-9`, { n: 9 })
  await expect.poll(() => states(target)).toEqual(['firing'])
  // The end of what was told before the mute is told; what fires in the mute is not.
  await expect.poll(() => notices('resolved').length).toBe(ended + 1)
  expect(notices('firing').length).toBe(fired)
})
