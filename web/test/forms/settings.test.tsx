import { focusManager } from '@tanstack/react-query'
import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ConfigTab } from '../../src/pages/namespaces/config/ConfigTab'
import { Toasts } from '../../src/ui/toast'
import { type Answers, Gateway, json, refusal, type Sent } from './gateway'
import { show } from './page'
import { pick } from '../ui/pick'

const READ = 'GET /api/v1/namespaces/shop'
const CHANGE = 'PATCH /api/v1/namespaces/shop'
const REVISIONS = 'GET /api/v1/namespaces/shop/config/revisions'
const ROLL_BACK = 'POST /api/v1/namespaces/shop/config/revisions/1/restore'
const shop = {
  name: 'shop',
  state: 'ready',
  capabilities: { missing: [] },
  config: {
    name: 'shop',
    storage: { engine: 'device', capacityBytes: 1024 ** 3 },
    segments: 256,
    durability: 'commit',
    reads: 'committed',
    defaultTtlSeconds: 0,
    maxRecordBytes: 1024 ** 2,
    stopWritesPercent: 90,
    evictAtPercent: 0,
  },
  mutable: ['defaultTtlSeconds', 'maxRecordBytes', 'stopWritesPercent', 'evictAtPercent', 'reads', 'ownership'],
}
const at = '2026-11-29T10:15:00.000Z'
const revisions = {
  items: [
    {
      number: 2,
      at,
      who: 'user:ada',
      cause: 'changed',
      reason: 'Enough.',
      changes: [{ field: 'defaultTtlSeconds', from: 60, to: 0 }],
    },
    { number: 1, at, who: 'outside', cause: 'found', changes: [] },
  ],
}
const older = { ...revisions.items[1], config: { ...shop.config, defaultTtlSeconds: 60 } }
const withEtag = (body: object, etag: string): Response => {
  const response = json(body)
  response.headers.set('etag', etag)
  return response
}

/** What a body would change, as the gateway says it. */
function planned(body: string): object[] {
  const now: Record<string, unknown> = shop.config
  return Object.entries(JSON.parse(body) as object)
    .filter(([field]) => field !== 'reason')
    .map(([field, to]) => ({
      field,
      from: now[field],
      to: to as unknown,
      applies: shop.mutable.includes(field) ? 'at_once' : 'migration',
      effect: `It is about ${field}.`,
    }))
}

/** Takes every change; null removes a setting. */
const taking: Answers = {
  [CHANGE]: ({ body, query }: Sent) => {
    if (query.get('dryRun') === 'true') return json({ ...shop, changes: planned(body) })
    const { reason: _, ...wanted } = JSON.parse(body) as Record<string, unknown>
    const members = Object.entries({ ...shop.config, ...wanted })
    return json({ ...shop, config: Object.fromEntries(members.filter(([, value]) => value !== null)) })
  },
}

async function open(answers: Answers = taking, search = '') {
  const gateway = new Gateway({
    [READ]: () => withEtag(shop, '"7"'),
    [REVISIONS]: revisions,
    'GET /api/v1/namespaces/shop/config/revisions/1': older,
    'GET /api/v1/namespaces/logs': { ...shop, name: 'logs', config: { ...shop.config, segments: 16 } },
    ...answers,
  })
  const Page = () => (
    <>
      <ConfigTab />
      <Toasts />
    </>
  )
  const { user } = await show(Page, '/namespaces/$ns/config', `/namespaces/shop/config${search}`)
  await screen.findByRole('region', { name: 'Settings' })
  /** Presses a button as soon as it can be pressed. */
  const press = async (name: string, within_ = screen): Promise<void> => {
    const button = await within_.findByRole<HTMLButtonElement>('button', { name })
    await waitFor(() => expect(button.disabled).toBe(false))
    await user.click(button)
  }
  const type = async (name: string, text: string): Promise<void> => {
    await user.clear(field(name))
    if (text !== '') await user.type(field(name), text)
  }
  return { gateway, user, press, type }
}

/** Comes back to the page, which reads what is no longer fresh, until it shows it. */
const readAgain = (shown: () => void): Promise<void> =>
  waitFor(
    () => {
      act(() => [false, true].forEach((focused) => focusManager.setFocused(focused)))
      shown()
    },
    { timeout: 30_000 },
  )

const TTL = 'default TTL, seconds'
const field = (name: string): HTMLInputElement => screen.getByLabelText(name)
const review = (): HTMLButtonElement => screen.getByRole('button', { name: 'Review…' })
const alerts = (): (string | null)[] => screen.queryAllByRole('alert').map(({ textContent }) => textContent)
const sent = ({ sent: all }: Gateway): [body: unknown, ifMatch: string | null][] =>
  all
    .filter(({ line, query }) => line === CHANGE && query.get('dryRun') === null)
    .map(({ body, headers }) => [JSON.parse(body) as unknown, headers.get('if-match')])
/** The cells of a setting: value, default, what it is compared with, when it can be set. */
const setting = (name: RegExp): (string | null)[] =>
  [...(screen.getByRole('rowheader', { name }).parentElement?.children ?? [])].slice(1).map((one) => one.textContent)

test('shows every setting with its default, its meaning and when it can be set', async () => {
  await open({ [READ]: () => withEtag({ ...shop, mutable: ['defaultTtlSeconds'] }, '"7"') })
  expect(setting(/^storage engine/)).toEqual(['device', 'none', 'by a migration'])
  expect(setting(/^largest record/)).toEqual(['1.00 MiB', '1.00 MiB', 'at creation'])
  expect(setting(/^default TTL/)[2]).toBe('at any time')
  expect(screen.getByRole('rowheader', { name: /^segments/ }).textContent).toContain('scanned in parallel')
  expect(field(TTL).value).toBe('0')
  expect(screen.queryByLabelText('largest record, bytes')).toBeNull()
  expect(screen.queryByRole('region', { name: 'Ownership' })).toBeNull()
})

test('edits are drafts until they are reviewed and applied, with a reason', async () => {
  const { gateway, user, press, type } = await open()
  expect(review().disabled).toBe(true)
  await type(TTL, '90')
  await type('evict at, percent', '80')
  expect(screen.getByText('at 80% full, the records that expire first are removed early')).toBeDefined()
  expect(screen.getByText('2 changes')).toBeDefined()
  await press('Review…')
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText('It is about defaultTtlSeconds.')).toBeDefined()
  await user.type(dialog.getByLabelText('Reason'), 'Shorter.')
  expect(dialog.getByLabelText('The same call with curl').textContent).toContain(
    '{"defaultTtlSeconds":90,"evictAtPercent":80,"reason":"Shorter."}',
  )
  expect(sent(gateway)).toEqual([])
  await user.click(dialog.getByRole('button', { name: 'Apply' }))
  await screen.findByText('Settings saved')
  expect(sent(gateway)).toEqual([[{ defaultTtlSeconds: 90, evictAtPercent: 80, reason: 'Shorter.' }, '"7"']])
  expect([field(TTL).value, review().disabled]).toEqual(['90', true])
})

test('an edit is undone alone, and all of them at once', async () => {
  const { press, type } = await open()
  await type(TTL, '90')
  await type('evict at, percent', '80')
  await press('Undo the edit of default TTL')
  expect([field(TTL).value, field('evict at, percent').value]).toEqual(['0', '80'])
  await press('Discard')
  expect([field('evict at, percent').value, review().disabled]).toEqual(['0', true])
})

test.each(['-1', '1.5', '80%', 'all'])('“%s” is refused at its field, and nothing is sent', async (text) => {
  const { gateway, type } = await open()
  await type(TTL, '60')
  await type('stop writes at, percent', text)
  expect([alerts(), field('stop writes at, percent').getAttribute('aria-invalid')]).toEqual([
    ['Enter a whole number.'],
    'true',
  ])
  expect(review().disabled).toBe(true)
  expect(gateway.sent.filter(({ line }) => line === CHANGE)).toEqual([])
})

test('a refusal of the review stands at the field that it names, until that is changed', async () => {
  const { press, type } = await open({
    [CHANGE]: () => refusal(400, 'config_invalid', 'It must be below 90.', 'evictAtPercent'),
  })
  await type('evict at, percent', '95')
  await press('Review…')
  await waitFor(() => expect(field('evict at, percent').getAttribute('aria-invalid')).toBe('true'))
  expect(alerts()).toContain('It must be below 90.')
  expect(screen.queryByRole('dialog')).toBeNull()
  await type('evict at, percent', '50')
  expect(alerts()).toEqual([])
})

test('what somebody else changes while one types is not overwritten unseen', async () => {
  let stored = { ...shop, etag: '"7"' }
  const { gateway, press, type } = await open({
    [READ]: () => withEtag(stored, stored.etag),
    [CHANGE]: ({ headers, body, query }: Sent) =>
      headers.get('if-match') !== stored.etag
        ? refusal(412, 'precondition_failed', 'Its version is 8.')
        : json({ ...stored, ...(query.get('dryRun') === 'true' && { changes: planned(body) }) }),
  })
  await type(TTL, '60')
  stored = { ...shop, config: { ...shop.config, evictAtPercent: 70 }, etag: '"8"' }
  await readAgain(() => expect(field('evict at, percent').value).toBe('70'))
  await press('Review…')
  expect((await screen.findByRole('alert')).textContent).toContain('Someone else changed it first.')
  expect([sent(gateway), field(TTL).value]).toEqual([[], '60'])
  await press('Review…')
  const dialog = within(await screen.findByRole('dialog'))
  // They are faster once more, while the review is read.
  stored = { ...stored, etag: '"9"' }
  await press('Apply', dialog as never)
  expect((await dialog.findByRole('alert')).textContent).toContain('Someone else changed it first.')
  expect(sent(gateway)).toEqual([[{ defaultTtlSeconds: 60 }, '"8"']])
})

test('an ownership is set and taken away', async () => {
  const { gateway, user, press, type } = await open()
  const several = (): HTMLElement => screen.getByRole('checkbox', { name: 'Several nodes share the segments' })
  await user.click(several())
  await type('This node', '3')
  await press('Review…')
  await press('Apply')
  await waitFor(() => expect(setting(/^ownership/)[0]).toBe('node 3 of 4, 2 owners'))
  await user.click(several())
  await press('Review…')
  await press('Apply')
  await waitFor(() => expect(setting(/^ownership/)[0]).toBe('none'))
  expect(sent(gateway).map(([body]) => body)).toEqual([
    { ownership: { nodes: 4, owners: 2, self: 3 } },
    { ownership: null },
  ])
})

test.each([
  ['Nodes', '', 'A whole number, 1 or more'],
  ['Owners', '5', '1 to 4, the number of nodes'],
  ['This node', '4', '0 to 3, a node number'],
])('an ownership whose “%s” is “%s” is refused at that field', async (name, text, words) => {
  const { user, type } = await open()
  await user.click(screen.getByRole('checkbox', { name: 'Several nodes share the segments' }))
  await type(name, text)
  expect([alerts(), review().disabled]).toEqual([[words], true])
})

test('as JSON, what can change is sent, and what cannot is said and left', async () => {
  const { gateway, user, press } = await open(taking, '?form=json')
  const editor = (): HTMLTextAreaElement => screen.getByLabelText('Settings as JSON')
  await user.clear(editor())
  await user.click(editor())
  await user.paste('{"defaultTtlSeconds": 5,')
  expect(review().disabled).toBe(true)
  await user.clear(editor())
  await user.click(editor())
  await user.paste(JSON.stringify({ ...shop.config, defaultTtlSeconds: 5, segments: 64 }))
  await press('Review…')
  const dialog = within(await screen.findByRole('dialog'))
  expect(within(dialog.getByRole('region', { name: 'Settings that stay as they are' })).getByText('64')).toBeDefined()
  await user.click(dialog.getByRole('button', { name: 'Apply' }))
  await screen.findByText('Settings saved')
  expect(sent(gateway)).toEqual([[{ defaultTtlSeconds: 5 }, '"7"']])
})

test.each([
  ['defaults', /^evict at/, 'the same'],
  ['previous', /^default TTL/, 'differs 1 min 0 s'],
  ['revision:1', /^default TTL/, 'differs 1 min 0 s'],
  ['namespace:logs', /^segments/, 'differs 16'],
])('compares with %s by the address', async (compared, name, words) => {
  await open(taking, `?with=${compared}`)
  await waitFor(() => expect(setting(name)[2]).toBe(words))
})

test('a namespace to compare with is chosen, and only what differs is shown', async () => {
  const { user } = await open()
  await screen.findByRole('option', { name: 'namespace logs' })
  await pick(user, screen.getByLabelText('Compare with'), 'namespace logs')
  await user.click(await screen.findByRole('switch', { name: 'Only what differs' }))
  await waitFor(() => expect(screen.queryByRole('rowheader', { name: /^storage engine/ })).toBeNull())
  expect(setting(/^segments/)).toEqual(['256', '256', 'differs 16', 'by a migration'])
})

test('the history says who changed what and why, and rolls back in two clicks', async () => {
  const { gateway, user } = await open({
    ...taking,
    [ROLL_BACK]: ({ query }: Sent) =>
      withEtag(
        {
          ...shop,
          ...(query.get('dryRun') === null && { config: older.config }),
          changes: planned('{"defaultTtlSeconds":60}'),
        },
        '"7"',
      ),
  })
  const history = within(await screen.findByRole('region', { name: 'History' }))
  expect((await history.findByText('Enough.')).textContent).toBe('Enough.')
  expect([history.getByText('user:ada'), history.getByText('outside the gateway')]).toHaveLength(2)
  expect(history.queryByRole('button', { name: 'Roll back to revision 2' })).toBeNull()
  await user.click(history.getByRole('button', { name: 'Roll back to revision 1' }))
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByText('It is about defaultTtlSeconds.')
  await user.click(dialog.getByRole('button', { name: 'Roll back' }))
  await screen.findByText('Rolled back to revision 1')
  const asked = gateway.sent.filter(({ line }) => line === ROLL_BACK)
  expect(asked.map(({ query, headers }) => [query.get('dryRun'), headers.get('if-match')])).toEqual([
    ['true', null],
    [null, '"7"'],
  ])
  expect(field(TTL).value).toBe('60')
})
