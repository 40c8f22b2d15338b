import { focusManager } from '@tanstack/react-query'
import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ConfigTab } from '../../src/pages/namespaces/detail/ConfigTab'
import { Toasts } from '../../src/ui/toast'
import { type Answers, Gateway, json, refusal, type Sent } from './gateway'
import { show } from './page'

const READ = 'GET /api/v1/namespaces/shop'
const CHANGE = 'PATCH /api/v1/namespaces/shop'
const shop = {
  name: 'shop',
  state: 'ready',
  capabilities: { missing: [] },
  config: {
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
const withEtag = (body: object, etag: string): Response => {
  const response = json(body)
  response.headers.set('etag', etag)
  return response
}

/** Takes every change; null removes a setting. */
const taking: Answers = {
  [CHANGE]: ({ body }: Sent) => {
    const members = Object.entries({ ...shop.config, ...(JSON.parse(body) as object) })
    return json({ ...shop, config: Object.fromEntries(members.filter(([, value]) => value !== null)) })
  },
}

async function open(answers: Answers = taking) {
  const gateway = new Gateway({ [READ]: () => withEtag(shop, '"7"'), ...answers })
  const Page = () => (
    <>
      <ConfigTab />
      <Toasts />
    </>
  )
  const { user } = await show(Page, '/namespaces/$ns/config', '/namespaces/shop/config')
  await screen.findByRole('region', { name: 'Settings' })
  /** Presses a button as soon as it can be pressed. */
  const press = async (button: () => HTMLButtonElement): Promise<void> => {
    await waitFor(() => expect(button().disabled).toBe(false))
    await user.click(button())
  }
  return { gateway, user, press }
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

const card = (name: string) => within(screen.getByRole('region', { name }))
const field = (name: string): HTMLInputElement => screen.getByLabelText(name)
const apply = (): HTMLButtonElement => card('Change live').getByRole('button', { name: 'Apply' })
const setOwnership = (): HTMLButtonElement => screen.getByRole('button', { name: 'Set ownership' })
const alerts = (): (string | null)[] => screen.queryAllByRole('alert').map(({ textContent }) => textContent)
const sent = ({ sent: all }: Gateway): [body: unknown, ifMatch: string | null][] =>
  all
    .filter(({ line }) => line === CHANGE)
    .map(({ body, headers }) => [JSON.parse(body) as unknown, headers.get('if-match')])
const hintOf = (name: string): string | null | undefined =>
  document.getElementById(field(name).getAttribute('aria-describedby') ?? '')?.textContent
/** The settings as they are shown, and whether they can change. */
const setting = (name: string): (string | null)[] =>
  [...(screen.getByRole('rowheader', { name }).parentElement?.children ?? [])].slice(1).map((one) => one.textContent)

test('shows every setting, and has a field for those that can change', async () => {
  await open({ [READ]: () => withEtag({ ...shop, mutable: ['defaultTtlSeconds'] }, '"7"') })
  expect([setting('storage engine'), setting('largest record'), setting('default TTL')]).toEqual([
    ['device', 'fixed'],
    ['1.00 MiB', 'fixed'],
    ['records never expire', 'live'],
  ])
  expect([field('Default TTL, seconds').placeholder, hintOf('Default TTL, seconds')]).toEqual(['0', 'never expire'])
  expect(screen.queryByLabelText('Largest record, bytes')).toBeNull()
  expect(screen.queryByRole('region', { name: 'Reads' })).toBeNull()
  expect(screen.queryByRole('region', { name: 'Ownership' })).toBeNull()
})

test('sends what was typed and nothing else, for the version that was read, and shows what came of it', async () => {
  const { gateway, user, press } = await open()
  expect(apply().disabled).toBe(true)
  await user.type(field('Default TTL, seconds'), '90')
  expect(hintOf('Default TTL, seconds')).toBe('1 min 30 s')
  await user.type(field('Evict at, percent'), '80')
  expect(hintOf('Evict at, percent')).toBe('at 80% full, the records that expire first are removed early')
  expect(card('Change live').getByLabelText('The same call with curl').textContent).toContain(
    '{"defaultTtlSeconds":90,"evictAtPercent":80}',
  )
  await press(apply)
  await screen.findByText('Settings saved')
  expect(sent(gateway)).toEqual([[{ defaultTtlSeconds: 90, evictAtPercent: 80 }, '"7"']])
  expect([setting('default TTL')[0], setting('evict at')[0]]).toEqual(['1 min 30 s', '80% full'])
  expect([field('Evict at, percent').value, field('Evict at, percent').placeholder]).toEqual(['', '80'])
  expect(apply().disabled).toBe(true)
})

test.each(['-1', '1.5', '80%', 'all'])(
  '“%s” is refused at its field, and what is right beside it waits',
  async (text) => {
    const { gateway, user, press } = await open()
    await user.type(field('Default TTL, seconds'), '60')
    await user.type(field('Stop writes at, percent'), text)
    expect([alerts(), field('Stop writes at, percent').getAttribute('aria-invalid')]).toEqual([
      ['A whole number'],
      'true',
    ])
    expect(apply().disabled).toBe(true)
    await user.keyboard('{Enter}')
    expect(sent(gateway)).toEqual([])
    await user.clear(field('Stop writes at, percent'))
    expect(alerts()).toEqual([])
    await press(apply)
    await waitFor(() => expect(sent(gateway)).toEqual([[{ defaultTtlSeconds: 60 }, '"7"']]))
  },
)

test('a change that somebody else made first is told, and nothing typed is lost', async () => {
  const { user, press } = await open({ [CHANGE]: () => refusal(412, 'etag_mismatch', 'Its version is 8.') })
  await user.type(field('Largest record, bytes'), '4096')
  await press(apply)
  expect((await screen.findByRole('alert')).textContent).toContain('Someone else changed it first.')
  expect([field('Largest record, bytes').value, apply().disabled]).toEqual(['4096', false])
})

test('what somebody else changes while one types is not overwritten unseen', async () => {
  let stored = { ...shop, etag: '"7"' }
  const { gateway, user, press } = await open({
    [READ]: () => withEtag(stored, stored.etag),
    [CHANGE]: ({ headers }: Sent) =>
      headers.get('if-match') === stored.etag ? json(stored) : refusal(412, 'etag_mismatch', 'Its version is 8.'),
  })
  const first = [{ defaultTtlSeconds: 60 }, '"7"']
  await user.type(field('Default TTL, seconds'), '60')
  stored = { ...shop, config: { ...shop.config, evictAtPercent: 70 }, etag: '"8"' }
  await readAgain(() => expect(setting('evict at')[0]).toBe('70% full'))
  await press(apply)
  expect((await screen.findByRole('alert')).textContent).toContain('Someone else changed it first.')
  expect(sent(gateway)).toEqual([first])
  // So is what they change while one goes on after that.
  await user.type(field('Default TTL, seconds'), '0')
  stored = { ...shop, config: { ...shop.config, evictAtPercent: 60 }, etag: '"9"' }
  await readAgain(() => expect(setting('evict at')[0]).toBe('60% full'))
  await press(apply)
  await screen.findByRole('alert')
  await press(apply)
  await screen.findByText('Settings saved')
  const again = { defaultTtlSeconds: 600 }
  expect(sent(gateway)).toEqual([first, [again, '"8"'], [again, '"9"']])
})

test('reads are chosen apart from the other settings', async () => {
  const { gateway, user, press } = await open()
  const button = (): HTMLButtonElement => card('Reads').getByRole('button', { name: 'Apply' })
  const reads = (name: RegExp): HTMLInputElement => card('Reads').getByRole('radio', { name })
  expect([reads(/^committed/).checked, button().disabled]).toEqual([true, true])
  await user.click(reads(/^latest/))
  await press(button)
  await screen.findByText('Reads saved')
  expect(sent(gateway)).toEqual([[{ reads: 'latest' }, '"7"']])
  expect([reads(/^latest/).checked, button().disabled]).toEqual([true, true])
  expect(setting('reads')[0]).toBe('latest: the newest version, acknowledged or not')
})

test('an ownership is set and removed', async () => {
  const { gateway, user, press } = await open()
  const several = (): HTMLElement => screen.getByRole('checkbox', { name: 'Several nodes share the segments' })
  expect([setOwnership().disabled, screen.queryByLabelText('Nodes')]).toEqual([true, null])
  await user.click(several())
  await user.clear(field('This node'))
  await user.type(field('This node'), '3')
  await press(setOwnership)
  await screen.findByText('Ownership saved')
  expect(setting('ownership')[0]).toBe('node 3 of 4, 2 owners')
  await user.click(several())
  await press(setOwnership)
  await screen.findByText('Ownership removed')
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
  const { gateway, user } = await open()
  await user.click(screen.getByRole('checkbox', { name: 'Several nodes share the segments' }))
  await user.clear(field(name))
  await user.paste(text)
  expect([alerts(), setOwnership().disabled]).toEqual([[words], true])
  await user.type(field(name), '{Enter}')
  expect(sent(gateway)).toEqual([])
})

test('a refusal of the engine stands at the field that it names, until that is changed', async () => {
  const { user, press } = await open({
    [CHANGE]: () => refusal(422, 'field_invalid', 'At most 3 owners.', 'ownership.owners'),
  })
  await user.click(screen.getByRole('checkbox', { name: 'Several nodes share the segments' }))
  await press(setOwnership)
  await waitFor(() => expect(field('Owners').getAttribute('aria-invalid')).toBe('true'))
  expect(alerts()).toContain('At most 3 owners.')
  await user.type(field('Owners'), '{Backspace}3')
  expect(alerts()).toEqual([])
})
