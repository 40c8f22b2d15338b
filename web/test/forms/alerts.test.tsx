import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { AlertsPage } from '../../src/pages/alerts/AlertsPage'
import { Health } from '../../src/pages/overview/Health'
import { type Answers, Gateway, json, refusal } from './gateway'
import { show } from './page'
import { pick } from '../ui/pick'

const A = '/api/v1/alerts'
const rule = {
  id: 'slow',
  name: 'Slow writes',
  severity: 'warning',
  threshold: { metric: 'latency.p99', op: 'writes', when: 'above', value: 20, forSeconds: 60 },
  createdAt: '2026-11-26T12:00:00Z',
  updatedAt: '2026-11-26T12:00:00Z',
  who: 'token',
}
const firing = {
  ruleId: 'slow',
  rule: 'Slow writes',
  severity: 'warning',
  namespace: 'shop',
  state: 'firing',
  since: '2026-11-26T12:00:00Z',
  text: 'Slow writes: the p99 latency of writes of shop is 31 ms, above 20 ms',
  muted: false,
}
const list = {
  items: [firing],
  health: { tone: 'warn', text: firing.text, reasons: [firing.text] },
  firing: 1,
  pending: 0,
  missed: 0,
  webhook: false,
  problems: [],
}
const metrics = [
  { metric: 'latency.p99', unit: 'ms', scope: 'namespace', windowed: true, description: 'p99.' },
  { metric: 'memory.total', unit: 'bytes', scope: 'server', windowed: false, description: 'Memory.' },
]

async function open(answers: Answers = {}) {
  const gateway = new Gateway({
    [`GET ${A}`]: list,
    [`GET ${A}/rules`]: { items: [rule] },
    [`GET ${A}/rules/slow`]: () =>
      new Response(JSON.stringify(rule), { headers: { 'content-type': 'application/json', etag: '"v1"' } }),
    [`GET ${A}/metrics`]: { items: metrics },
    [`GET ${A}/events`]: { items: [] },
    ...answers,
  })
  const { user } = await show(AlertsPage, '/alerts')
  await screen.findByRole('button', { name: 'Edit Slow writes' })
  return { gateway, user }
}

const dialog = () => within(screen.getByRole('dialog'))

test('what fires is named in the list and counted by the bell', async () => {
  const { user } = await open()
  expect(screen.getByText(firing.text)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Alerts: 1 problem' }))
  expect(dialog().getByText(firing.text)).toBeTruthy()
})

test('a thousand alerts are a short list until all are asked for, and a table that draws what is in view', async () => {
  const windows = [{ window: 'minute', operations: 1000, sharePercent: 98, enough: true }]
  const target = { op: 'get', percent: 99, withinUs: 1000, missed: true, windows }
  const items = Array.from({ length: 1000 }, (_, n) => ({ ...firing, namespace: `ns${n}`, text: `alert ${n}`, target }))
  const { user } = await open({ [`GET ${A}`]: { ...list, items, firing: 1000 } })
  const listed = () => screen.getAllByText(/^alert \d+$/).length
  expect(listed()).toBe(20)
  expect(screen.getByRole('table', { name: 'Latency targets' }).querySelectorAll('tbody tr').length).toBeLessThan(100)
  await user.click(screen.getByRole('button', { name: 'Show all 1,000' }))
  expect(listed()).toBe(1000)
  await user.click(screen.getByRole('button', { name: 'Show the first 20' }))
  expect(listed()).toBe(20)
})

test('a new rule is sent as its fields say', async () => {
  const { gateway, user } = await open({ [`POST ${A}/rules`]: () => json(rule, 201) })
  await user.click(screen.getByRole('button', { name: 'New rule' }))
  await user.type(dialog().getByLabelText('Name'), 'Much memory')
  await dialog().findByRole('option', { name: 'memory.total' })
  await pick(user, dialog().getByLabelText('Metric'), 'memory.total')
  await user.type(dialog().getByLabelText('Value, bytes'), '1000')
  await user.click(dialog().getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.bodies(`POST ${A}/rules`)).toEqual([
    {
      name: 'Much memory',
      severity: 'warning',
      threshold: { metric: 'memory.total', when: 'above', value: 1000, forSeconds: 60, resolveForSeconds: 60 },
    },
  ])
})

test('a latency target is sent with its percent and its time', async () => {
  const { gateway, user } = await open({ [`POST ${A}/rules`]: () => json(rule, 201) })
  await user.click(screen.getByRole('button', { name: 'New rule' }))
  await user.type(dialog().getByLabelText('Name'), 'Reads')
  await user.click(dialog().getByRole('radio', { name: 'Latency target' }))
  await pick(user, dialog().getByLabelText('Operations'), 'get')
  await pick(user, dialog().getByLabelText('Within'), '500 µs')
  await user.click(dialog().getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(gateway.bodies(`POST ${A}/rules`)).toHaveLength(1))
  expect(gateway.bodies(`POST ${A}/rules`)[0]).toMatchObject({
    target: { op: 'get', side: 'engine', percent: 99, withinUs: 500 },
  })
})

test('an edit sends the ETag that it began from, and a lost race leaves the form open', async () => {
  const { gateway, user } = await open({
    [`PUT ${A}/rules/slow`]: () => refusal(412, 'precondition_failed', 'Somebody was faster.'),
  })
  await user.click(screen.getByRole('button', { name: 'Edit Slow writes' }))
  await user.type(await dialog().findByLabelText('Name'), '!')
  gateway.answers[`GET ${A}/rules/slow`] = () =>
    new Response(JSON.stringify(rule), { headers: { 'content-type': 'application/json', etag: '"v2"' } })
  const reads = (): number => gateway.sent.filter(({ line }) => line === `GET ${A}/rules/slow`).length
  const puts = () => gateway.sent.filter(({ line }) => line.startsWith('PUT'))
  await user.click(dialog().getByRole('button', { name: 'Save' }))
  await dialog().findByText('Somebody was faster.')
  // The new version is read meanwhile; a second click must not win with it.
  await waitFor(() => expect(reads()).toBe(2))
  await user.click(dialog().getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(puts()).toHaveLength(2))
  expect(puts().map(({ headers }) => headers.get('if-match'))).toEqual(['"v1"', '"v1"'])
  expect(gateway.bodies(`PUT ${A}/rules/slow`)[0]).toMatchObject({ name: 'Slow writes!' })
})

test('a rule is muted for hours, tested and deleted', async () => {
  const { gateway, user } = await open({
    [`PUT ${A}/rules/slow/mute`]: { ...rule, mutedUntil: '2026-11-27T12:00:00Z' },
    [`POST ${A}/rules/slow/test`]: { id: 'e', rule: rule.name },
    [`DELETE ${A}/rules/slow`]: rule,
  })
  const before = Date.now()
  await user.click(screen.getByRole('button', { name: 'Mute Slow writes' }))
  await pick(user, dialog().getByLabelText('How long'), '8 hours')
  await user.click(dialog().getByRole('button', { name: 'Mute' }))
  await waitFor(() => expect(gateway.bodies(`PUT ${A}/rules/slow/mute`)).toHaveLength(1))
  const [{ until }] = gateway.bodies(`PUT ${A}/rules/slow/mute`) as [{ until: string }]
  expect(Date.parse(until)).toBeGreaterThanOrEqual(before + 8 * 3_600_000)
  await user.click(screen.getByRole('button', { name: 'Test Slow writes' }))
  await waitFor(() => expect(gateway.sent.some(({ line }) => line === `POST ${A}/rules/slow/test`)).toBe(true))
  await user.click(screen.getByRole('button', { name: 'Delete Slow writes' }))
  await user.click(await dialog().findByRole('button', { name: 'Delete rule' }))
  await waitFor(() => expect(gateway.sent.some(({ line }) => line === `DELETE ${A}/rules/slow`)).toBe(true))
})

test('a rule that somebody changed is shown again before it can be deleted', async () => {
  let current = { ...rule, etag: '"v1"' }
  const { gateway, user } = await open({
    [`GET ${A}/rules/slow`]: () =>
      new Response(JSON.stringify(current), { headers: { 'content-type': 'application/json', etag: current.etag } }),
    [`DELETE ${A}/rules/slow`]: ({ headers }) =>
      headers.get('if-match') === current.etag
        ? json(rule)
        : refusal(412, 'precondition_failed', 'Somebody was faster.'),
  })
  const deletes = () => gateway.sent.filter(({ line }) => line.startsWith('DELETE'))
  await user.click(screen.getByRole('button', { name: 'Delete Slow writes' }))
  await dialog().findByText(/above 20/)
  current = { ...current, threshold: { ...rule.threshold, value: 5 }, etag: '"v2"' }
  await user.click(dialog().getByRole('button', { name: 'Delete rule' }))
  await dialog().findByText('Somebody was faster.')
  dialog().getByText(/above 20/)
  // A second click must not win with a version that nobody saw.
  await user.click(dialog().getByRole('button', { name: 'Delete rule' }))
  await waitFor(() => expect(deletes()).toHaveLength(2))
  await user.click(await dialog().findByRole('button', { name: 'Show the changed rule' }))
  await dialog().findByText(/above 5/)
  await waitFor(() => expect(dialog().queryByText('Somebody was faster.')).toBeNull())
  await user.click(dialog().getByRole('button', { name: 'Delete rule' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(deletes().map(({ headers }) => headers.get('if-match'))).toEqual(['"v1"', '"v1"', '"v2"'])
})

test('the webhook that the reader saw is the one that is deleted', async () => {
  const set = { url: 'https://example.com/h', enabled: true, secretSetAt: rule.createdAt, waiting: 0 }
  const { gateway, user } = await open({
    [`GET ${A}`]: { ...list, webhook: true },
    [`GET ${A}/webhook`]: () =>
      new Response(JSON.stringify(set), { headers: { 'content-type': 'application/json', etag: '"w1"' } }),
    [`DELETE ${A}/webhook`]: () => refusal(412, 'precondition_failed', 'Somebody was faster.'),
  })
  await user.click(await screen.findByRole('button', { name: 'Delete the webhook' }))
  await user.click(dialog().getByRole('button', { name: 'Delete webhook' }))
  await dialog().findByText('Somebody was faster.')
  expect(gateway.sent.find(({ line }) => line.startsWith('DELETE'))?.headers.get('if-match')).toBe('"w1"')
})

describe('a webhook that somebody changed meanwhile', () => {
  const set = {
    url: 'https://example.com/h',
    enabled: true,
    secretSetAt: rule.createdAt,
    updatedAt: rule.createdAt,
    who: 'token',
    waiting: 0,
  }
  const stored = (body: object, etag: string) => () =>
    new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json', etag } })
  const version = (name: string) => within(dialog().getByRole('region', { name }))

  /** Loses the race for it, with another address. */
  async function lose(after: Answers, before: Answers = { [`GET ${A}/webhook`]: stored(set, '"w1"') }) {
    const isSet = `GET ${A}/webhook` in before
    const { gateway, user } = await open({ [`GET ${A}`]: { ...list, webhook: isSet }, ...before })
    await user.click(await screen.findByRole('button', { name: isSet ? 'Change…' : 'Set…' }))
    const address = dialog().getByLabelText('Address')
    await user.clear(address)
    await user.type(address, 'https://example.com/mine')
    gateway.answers[`PUT ${A}/webhook`] = () => refusal(412, 'precondition_failed', 'Somebody was faster.')
    Object.assign(gateway.answers, after)
    await user.click(dialog().getByRole('button', { name: 'Save' }))
    await dialog().findByText('Somebody was faster.')
    gateway.answers[`PUT ${A}/webhook`] = { ...set, url: 'https://example.com/mine' }
    const tags = () =>
      gateway.sent.filter(({ line }) => line.startsWith('PUT')).map(({ headers }) => headers.get('if-match'))
    return { gateway, user, tags }
  }
  const theirs = stored({ ...set, url: 'https://example.com/theirs', enabled: false, who: 'console' }, '"w2"')

  test('is shown beside the form, with what changed, and can be overwritten', async () => {
    const { gateway, user, tags } = await lose({ [`GET ${A}/webhook`]: theirs })
    expect(await version('Stored version').findByText('https://example.com/theirs')).toBeTruthy()
    const names = screen.getAllByText('changed').map((badge) => badge.parentElement?.textContent)
    expect(names).toEqual(['Address changed', 'Notices changed'])
    expect(version('Your version').getByText('https://example.com/mine')).toBeTruthy()
    // A second click on Save must not win unseen.
    expect(dialog().getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true)
    await user.click(dialog().getByRole('button', { name: 'Overwrite with your version' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(tags()).toEqual(['"w1"', '"w2"'])
    expect(gateway.bodies(`PUT ${A}/webhook`)[1]).toEqual({ url: 'https://example.com/mine', enabled: true })
  })

  test('can be taken, and is what the next save replaces', async () => {
    const { gateway, user, tags } = await lose({ [`GET ${A}/webhook`]: theirs })
    await version('Stored version').findByText('https://example.com/theirs')
    await user.click(dialog().getByRole('button', { name: 'Reload the stored version' }))
    expect(dialog().getByLabelText<HTMLInputElement>('Address').value).toBe('https://example.com/theirs')
    expect(dialog().queryByText('Stored version')).toBeNull()
    await user.click(dialog().getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(tags()).toEqual(['"w1"', '"w2"'])
    expect(gateway.bodies(`PUT ${A}/webhook`)[1]).toEqual({ url: 'https://example.com/theirs', enabled: false })
  })

  test('or deleted is set again only if the reader wants it', async () => {
    const { user, tags } = await lose({
      [`GET ${A}/webhook`]: () => refusal(404, 'alert_webhook_missing', 'There is none.'),
      [`GET ${A}`]: { ...list, webhook: false },
    })
    await version('Stored version').findByText('Somebody deleted the webhook.')
    await user.click(dialog().getByRole('button', { name: 'Overwrite with your version' }))
    await waitFor(() => expect(tags()).toEqual(['"w1"', '""']))
  })

  test('or set first is not overwritten unseen', async () => {
    const { tags } = await lose({ [`GET ${A}/webhook`]: theirs, [`GET ${A}`]: { ...list, webhook: true } }, {})
    expect(await version('Stored version').findByText('https://example.com/theirs')).toBeTruthy()
    expect(tags()).toEqual(['""'])
  })
})

test('the secret that the server made is shown once', async () => {
  const set = { url: 'https://example.com/h', enabled: true, secretSetAt: rule.createdAt, waiting: 0 }
  const { gateway, user } = await open({ [`PUT ${A}/webhook`]: { ...set, secret: 'made-by-the-server' } })
  await user.click(await screen.findByRole('button', { name: 'Set…' }))
  await user.type(dialog().getByLabelText('Address'), set.url)
  await user.click(dialog().getByRole('button', { name: 'Save' }))
  await dialog().findByText('made-by-the-server')
  expect(gateway.bodies(`PUT ${A}/webhook`)).toEqual([{ url: set.url, enabled: true }])
  await user.click(dialog().getByRole('button', { name: 'Done' }))
  expect(screen.queryByText('made-by-the-server')).toBeNull()
})

const status = {
  healthy: true,
  recovering: false,
  reasons: [],
  notices: [],
  gatewayNotices: [],
  records: 1,
  namespaces: 1,
  uptimeSeconds: 1,
  version: '1',
}

test.each([
  ['Healthy', { ...list, health: { tone: 'good', text: 'Healthy', reasons: [] } }, 'good'],
  [firing.text, list, 'warn'],
  ['The alerts cannot be read', null, 'warn'],
  [undefined, undefined, undefined],
])('the health says “%s”', async (text, alerts, tone) => {
  const { answers } = new Gateway()
  expect(answers).toHaveProperty(`GET ${A}`)
  await show(() => <Health status={status as never} alerts={alerts as never} />)
  const health = screen.queryByLabelText('Health')
  expect([health?.querySelector('strong')?.textContent, health?.className]).toEqual([
    text,
    text === undefined ? undefined : `card health ${tone}`,
  ])
})
