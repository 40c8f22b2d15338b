// The routes of alerts on a whole gateway: rules with ETags, mutes, tests, the webhook, and the health of `status`.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { AlertEvent, Alert } from '../../src/schemas/alerts/alerts.js'
import type { AlertMetric, AlertRule } from '../../src/schemas/alerts/rules.js'
import type { AlertWebhook, AlertWebhookSet } from '../../src/schemas/alerts/webhook.js'
import type { Status } from '../../src/schemas/server/status.js'
import { useGateway } from '../gateway.js'

const gateway = useGateway({ webhookPrivate: true })
const A = '/api/v1/alerts'
const RULES = `${A}/rules`

interface OpenApi {
  paths: Record<string, Record<string, { requestBody?: object }>>
  components: { schemas: Record<string, { properties?: Record<string, { writeOnly?: boolean }> }> }
}

interface Alerts {
  items: Alert[]
  health: { tone: string; text: string; reasons: string[] }
  firing: number
  missed: number
}

const rule = {
  name: 'Any memory',
  severity: 'critical' as const,
  threshold: { metric: 'memory.total', when: 'above' as const, value: -1, forSeconds: 0 },
}
const list = (query = ''): Promise<Alerts> => gateway().ok<Alerts>(`GET ${A}${query}`)
const eventsOf = async (id: string): Promise<AlertEvent[]> =>
  (await gateway().ok<{ items: AlertEvent[] }>(`GET ${A}/events`)).items.filter(({ ruleId }) => ruleId === id)

test('each metric of the list can be watched', async () => {
  const { items } = await gateway().ok<{ items: AlertMetric[] }>(`GET ${A}/metrics`)
  expect(new Set(items.map(({ metric }) => metric)).size).toBe(items.length)
  for (const { metric } of items) {
    const body = { ...rule, enabled: false, threshold: { ...rule.threshold, metric } }
    const { id } = await gateway().ok<AlertRule>(`POST ${RULES}`, { body })
    await gateway().ok(`DELETE ${RULES}/${id}`)
  }
})

test.each([
  ['an infinite value', JSON.stringify(rule).replace('-1', '1e999'), 'threshold.value'],
  ['a blank name', JSON.stringify({ ...rule, name: ' ' }), 'name'],
  ['a name that turns the text', JSON.stringify({ ...rule, name: 'a\u202eb' }), 'name'],
  ['a name with a line break', JSON.stringify({ ...rule, name: 'a\r\nb' }), 'name'],
])('%s is refused', async (_what, body, field) => {
  const headers = { 'content-type': 'application/json' }
  const refused = await gateway().send(`POST ${RULES}`, { body, headers })
  expect([refused.status, refused.json()]).toMatchObject([400, { code: 'field_invalid', field }])
})

test('a rule is created, fires, makes the health bad, is replaced and deleted', async () => {
  const { send, ok } = gateway()
  const created = await send(`POST ${RULES}`, { body: rule })
  expect(created.status).toBe(201)
  const { id } = created.json<AlertRule>()
  expect(created.headers['location']).toBe(`${RULES}/${id}`)
  await expect.poll(async () => (await list('?state=firing')).items.map(({ ruleId }) => ruleId)).toContain(id)
  const { health } = await list()
  expect([health.tone, health.text]).toEqual(['bad', expect.stringContaining('Any memory') as string])
  expect((await ok<Status>('GET /api/v1/status')).health).toContain('Any memory')

  const shown = await send(`GET ${RULES}/${id}`)
  const mine = { body: { ...rule, name: 'Renamed' }, headers: { 'if-match': shown.headers['etag'] as string } }
  const replaced = await send(`PUT ${RULES}/${id}`, mine)
  expect(replaced.json()).toMatchObject({ id, name: 'Renamed', who: 'token' })
  expect((await send(`PUT ${RULES}/${id}`, mine)).status).toBe(412)
  expect(
    (await send(`DELETE ${RULES}/${id}`, { headers: { 'if-match': shown.headers['etag'] as string } })).status,
  ).toBe(412)
  await ok(`DELETE ${RULES}/${id}`, { headers: { 'if-match': replaced.headers['etag'] as string } })
  await expect.poll(async () => (await eventsOf(id)).map(({ kind }) => kind)).toEqual(['resolved', 'firing'])
  expect((await send(`GET ${RULES}/${id}`)).status).toBe(404)
})

test('a mute is shown until it ends, and is no change of the rule', async () => {
  const { send, ok } = gateway()
  const path = `${RULES}/writes-stopped`
  const before = await send(`GET ${path}`)
  const until = new Date(Date.now() + 3_600_000).toISOString()
  expect(await ok<AlertRule>(`PUT ${path}/mute`, { body: { until } })).toMatchObject({ mutedUntil: until })
  const muted = await send(`GET ${path}`)
  expect([muted.headers['etag'], muted.json<AlertRule>().mutedUntil]).toEqual([before.headers['etag'], until])
  expect(await ok<AlertRule>(`DELETE ${path}/mute`)).not.toHaveProperty('mutedUntil')
})

test('at most 100 rules are kept', async () => {
  const { send, ok } = gateway()
  const made: string[] = []
  let answer = await send(`POST ${RULES}`, { body: { ...rule, enabled: false } })
  while (answer.status === 201) {
    made.push(answer.json<AlertRule>().id)
    answer = await send(`POST ${RULES}`, { body: { ...rule, enabled: false } })
  }
  expect(answer.json()).toMatchObject({ code: 'alert_rule_limit', status: 409 })
  expect((await ok<{ items: object[] }>(`GET ${RULES}`)).items).toHaveLength(100)
  for (const id of made) await ok(`DELETE ${RULES}/${id}`)
})

test('the webhook makes a secret once, shows it never again, and gets a test', async () => {
  const { send, ok } = gateway()
  const kinds: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      kinds.push((JSON.parse(body) as AlertEvent).kind)
      response.end()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const set = await send(`PUT ${A}/webhook`, { body: { url } })
  const { secret = '', ...webhook } = set.json<AlertWebhookSet>()
  expect(await list()).toMatchObject({ webhook: true })
  expect(secret.length).toBeGreaterThanOrEqual(16)
  expect(await ok<AlertWebhook>(`GET ${A}/webhook`)).toEqual(webhook)
  const event = await ok<AlertEvent>(`POST ${RULES}/writes-stopped/test`)
  await expect.poll(async () => (await eventsOf(event.ruleId))[0]?.delivery?.state).toBe('delivered')
  expect(kinds).toContain('test')

  const headers = { 'if-match': set.headers['etag'] as string }
  const off = await send(`PUT ${A}/webhook`, { body: { url, enabled: false }, headers })
  expect(off.json()).toMatchObject({ enabled: false, secretSetAt: webhook.secretSetAt })
  expect(off.json()).not.toHaveProperty('secret')
  expect((await send(`PUT ${A}/webhook`, { body: { url }, headers })).status).toBe(412)
  expect(await ok<AlertEvent>(`POST ${RULES}/writes-stopped/test`)).not.toHaveProperty('delivery')
  expect((await send(`DELETE ${A}/webhook`, { headers })).status).toBe(412)
  await ok(`DELETE ${A}/webhook`)
  expect(await list()).toMatchObject({ webhook: false })
  expect((await send(`GET ${A}/webhook`)).status).toBe(404)
  await new Promise((resolve) => server.close(resolve))
})

test.each([
  ['too short', JSON.stringify({ secret: 'hush-hush' })],
  ['with spaces', JSON.stringify({ secret: 'hush-hush and more' })],
  ['too long', JSON.stringify({ secret: 'hush-hush'.repeat(40) })],
  ['in a list', JSON.stringify({ secret: ['hush-hush'] })],
  ['not quoted', '{"secret": hush-hush}'],
  ['not ended', '{"secret": "hush-hush'],
  ['before what is no JSON', '{"secret": "hush-hush" hush}'],
])('no answer shows a secret: %s', async (_what, body) => {
  const headers = { 'content-type': 'application/json' }
  const whole = body.replace('{', '{"url": "https://example.com/", ')
  const refused = await gateway().send(`PUT ${A}/webhook`, { body: whole, headers })
  expect(refused.status).toBe(400)
  expect(refused.text).not.toContain('hush')
})

test('each secret of a request is marked in its schema', async () => {
  const { paths, components } = await gateway().ok<OpenApi>('GET /api/v1/openapi.json')
  const bodies = Object.values(paths).flatMap((path) => Object.values(path).map(({ requestBody }) => requestBody))
  const names = new Set([...JSON.stringify(bodies).matchAll(/schemas\/(\w+)"/g)].map(([, name = '']) => name))
  const fields = [...names].flatMap((name) => Object.entries(components.schemas[name]?.properties ?? {}))
  const secrets = fields.filter(([name]) => /secret|password|token/i.test(name))
  expect(secrets.map(([name, { writeOnly }]) => [name, writeOnly]).toSorted()).toEqual([
    ['newPassword', true],
    ['password', true],
    ['password', true],
    ['password', true],
    ['password', true],
    ['secret', true],
    ['token', true],
  ])
})

test('a target has its windows, filled by real reads', async () => {
  const { ok } = gateway()
  await gateway().memoryNamespace('shop')
  await gateway().put('shop/sets/s/records/a', { n: 1 })
  for (let n = 0; n < 5; n += 1) await ok('GET /api/v1/namespaces/shop/sets/s/records/a')
  const hour = async () =>
    (await list()).items
      .find(({ ruleId, namespace }) => ruleId === 'reads-within-1-ms' && namespace === 'shop')
      ?.target?.windows.find(({ window }) => window === 'hour')?.operations
  await expect.poll(hour).toBe(5)
  // The history is kept by name, and has the reads of the old one.
  await ok('DELETE /api/v1/namespaces/shop')
  await gateway().memoryNamespace('shop')
  await expect.poll(hour, { timeout: 5000 }).toBe(0)
  await gateway().put('shop/sets/s/records/a', { n: 1 })
  for (let n = 0; n < 3; n += 1) await ok('GET /api/v1/namespaces/shop/sets/s/records/a')
  await expect.poll(hour).toBe(3)
})
