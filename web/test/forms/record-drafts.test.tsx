import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { RecordsPage } from '../../src/pages/records/RecordsPage'
import { Toasts } from '../../src/ui/toast'
import { type Answers, Gateway, refusal } from './gateway'
import { show } from './page'

const RECORDS = '/api/v1/namespaces/shop/sets/events/records'
const READ = `GET ${RECORDS}/a`
const WRITE = `PUT ${RECORDS}/a`
const BINS = '{"n":9007199254740993,"kind":"push","on":true}'

const stored = (bins: string, generation = 3): Response =>
  new Response(`{"set":"events","key":"a","digest":"d1","generation":${generation},"bins":${bins}}`, {
    headers: { 'content-type': 'application/json', etag: `"${generation}"` },
  })
const done = (): Response => new Response(null, { status: 204 })
const lost = (): Response => refusal(412, 'generation_mismatch', 'It is another generation.')

beforeEach(() => localStorage.clear())

async function open(answers: Answers = {}, address = '?ns=shop&set=events&key=a', user = 'ada') {
  const gateway = new Gateway({
    [`GET ${RECORDS}`]: { items: [{ key: 'a', digest: 'd1', bins: { kind: 'push' } }] },
    [READ]: () => stored(BINS),
    [WRITE]: done,
    ...answers,
  })
  const Page = () => (
    <>
      <RecordsPage />
      <Toasts />
    </>
  )
  const me = { id: user, user, grants: [{ role: 'admin' as const }], method: 'session' as const }
  const page = await show(Page, '/records', `/records${address}`, undefined, me)
  await screen.findByLabelText(address.includes('create') ? 'Key' : 'Name of n')
  return { gateway, ...page }
}

const dialog = (): HTMLElement => screen.getByRole('dialog', { name: /ecord/ })
const field = (name: string): HTMLInputElement => within(dialog()).getByLabelText(name)
const button = (name: string): HTMLButtonElement => within(dialog()).getByRole('button', { name })
const asked = (): HTMLElement => screen.getByRole('dialog', { name: 'Close without saving?' })
const offer = (): HTMLElement => within(dialog()).getByText(/^Unsaved draft of \d\d:\d\d$/)
const puts = ({ sent }: Gateway) => sent.filter(({ line }) => line === WRITE)
const kept = (): string[] => Object.keys(localStorage).filter((name) => name.startsWith('tessera.record.draft '))

/** Changes the record, and leaves the page in a way that asks nothing. */
async function leave(value = 'mine') {
  const { user } = await open()
  await user.clear(field('Value of kind'))
  await user.type(field('Value of kind'), value)
  cleanup()
}

test('Escape asks before it closes a changed record, and closes one that is not', async () => {
  const { user } = await open()
  await user.type(field('Value of kind'), 'ed')
  await user.keyboard('{Escape}')
  await user.click(within(asked()).getByRole('button', { name: 'Keep editing' }))
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Close without saving?' })).toBeNull())
  expect(field('Value of kind').value).toBe('pushed')
  await user.type(field('Value of kind'), '{Backspace}{Backspace}')
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(kept()).toEqual([])
})

test('a record that is closed with a draft offers it again, with every digit', async () => {
  const first = await open()
  await first.user.clear(field('Value of n'))
  await first.user.type(field('Value of n'), '9223372036854775807')
  await first.user.keyboard('{Escape}')
  await first.user.click(within(asked()).getByRole('button', { name: 'Close and keep the draft' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  cleanup()
  const { gateway, user } = await open()
  expect(offer().parentElement?.textContent).toContain('from generation 3')
  // It waits for the decision, so that nothing is typed over.
  expect([
    field('Value of n').value,
    field('Value of n').closest('fieldset')?.disabled,
    button('Save').disabled,
  ]).toEqual(['9007199254740993', true, true])
  await user.click(button('Restore'))
  expect(field('Value of n').value).toBe('9223372036854775807')
  await user.click(button('Save'))
  await screen.findByText('Record saved')
  expect(puts(gateway).map(({ body, headers }) => [body, headers.get('if-match')])).toEqual([
    ['{"n":9223372036854775807,"kind":"push","on":true}', '"3"'],
  ])
  await waitFor(() => expect(kept()).toEqual([]))
})

test('a draft is gone when it is discarded, in the question and in the offer', async () => {
  const { user } = await open()
  await user.type(field('Value of kind'), '2')
  await user.keyboard('{Escape}')
  await user.click(within(asked()).getByRole('button', { name: 'Discard changes' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  cleanup()
  expect(kept()).toEqual([])
  await leave()
  expect(kept()).toHaveLength(1)
  const again = await open()
  await again.user.click(button('Discard'))
  expect([field('Value of kind').value, field('Value of kind').closest('fieldset')?.disabled, kept()]).toEqual([
    'push',
    false,
    [],
  ])
  // What is typed after it is kept again.
  await again.user.type(field('Value of kind'), '3')
  await waitFor(() => expect(kept()).toHaveLength(1))
})

test('a draft is offered to nobody else', async () => {
  await leave()
  await open({}, undefined, 'bob')
  expect(within(dialog()).queryByText(/^Unsaved draft/)).toBeNull()
})

test('JSON that is wrong is kept as it is', async () => {
  const { user } = await open()
  await user.click(within(dialog()).getByRole('radio', { name: 'JSON' }))
  await user.clear(field('Bins as JSON'))
  await user.paste('{"n": 12')
  cleanup()
  const again = await open()
  await again.user.click(button('Restore'))
  expect(field('Bins as JSON').value).toBe('{"n": 12')
})

test('a new record is kept with its key and set', async () => {
  const address = '?ns=shop&set=events&create=true'
  const { user } = await open({}, address)
  await user.type(field('Key'), 'b')
  await user.type(field('Name of bin 1'), 'x')
  cleanup()
  const again = await open({}, address)
  await again.user.click(button('Restore'))
  expect([field('Key').value, field('Name of x').value]).toEqual(['b', 'x'])
})

test('a browser that keeps nothing says so', async () => {
  const { user } = await open()
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError')
    },
    removeItem: () => undefined,
  }
  vi.stubGlobal('localStorage', full)
  onTestFinished(() => void vi.unstubAllGlobals())
  await user.type(field('Value of kind'), '2')
  await within(dialog()).findByText(/^This browser cannot keep these changes/)
  await user.keyboard('{Escape}')
  expect(within(asked()).queryByRole('button', { name: 'Close and keep the draft' })).toBeNull()
})

test('a lost race merges what one side changed, and asks about what both did', async () => {
  let writes = 0
  const { gateway, user } = await open({ [WRITE]: () => (++writes === 1 ? lost() : done()) })
  await user.clear(field('Value of kind'))
  await user.type(field('Value of kind'), 'mine')
  await user.selectOptions(field('Value of on'), 'false')
  gateway.answers[READ] = () => stored('{"n":1,"kind":"theirs","on":true,"new":[1.50]}', 4)
  await user.click(button('Save'))
  const panel = within(await within(dialog()).findByRole('region', { name: 'Compare versions' }))
  expect(panel.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'n changed by the other1',
    'on changed by youfalse',
    'new changed by the other[1.50]',
  ])
  const versions = ['Before', 'Yours', 'Theirs'].map((side) => panel.getByLabelText(`${side}: kind`).textContent)
  expect(versions).toEqual(['"push"', '"mine"', '"theirs"'])
  expect([button('Save merged').disabled, button('Save').disabled]).toEqual([true, true])
  await user.click(panel.getByRole('radio', { name: 'Edit' }))
  await user.clear(field('Merged kind'))
  await user.paste('"both')
  expect(button('Save merged').disabled).toBe(true)
  await user.type(field('Merged kind'), '"')
  await user.click(button('Save merged'))
  await screen.findByText('Record saved')
  expect(puts(gateway).map(({ headers }) => headers.get('if-match'))).toEqual(['"3"', '"4"'])
  expect(puts(gateway)[1]?.body).toBe('{"n":1,"on":false,"new":[1.50],"kind":"both"}')
})

test.each([
  ['Use yours', '{"n":9007199254740993,"on":true,"kind":"mine"}'],
  ['Use theirs', '{"n":9007199254740993,"on":true,"kind":"theirs"}'],
])('%s saves that version of the bin', async (choice, body) => {
  let writes = 0
  const { gateway, user } = await open({ [WRITE]: () => (++writes === 1 ? lost() : done()) })
  await user.clear(field('Value of kind'))
  await user.type(field('Value of kind'), 'mine')
  gateway.answers[READ] = () => stored(BINS.replace('push', 'theirs'), 4)
  await user.click(button('Save'))
  await user.click(await within(dialog()).findByRole('radio', { name: choice }))
  await user.click(button('Save merged'))
  await screen.findByText('Record saved')
  expect(puts(gateway)[1]?.body).toBe(body)
})

test('a race that is lost again compares with the newest version', async () => {
  let writes = 0
  const { gateway, user } = await open({ [WRITE]: () => (++writes < 3 ? lost() : done()) })
  await user.type(field('Value of kind'), 'ed')
  gateway.answers[READ] = () => stored(BINS.replace('true', 'false'), 4)
  await user.click(button('Save'))
  await within(dialog()).findByText('Generation 4 was saved meanwhile.')
  gateway.answers[READ] = () => stored(BINS.replace('true', '5'), 5)
  await user.click(button('Save merged'))
  await within(dialog()).findByText('Generation 5 was saved meanwhile.')
  await user.click(button('Save merged'))
  await screen.findByText('Record saved')
  expect(puts(gateway)[2]?.body).toBe('{"n":9007199254740993,"kind":"pushed","on":5}')
})

test('what is wrong in the form saves no merge', async () => {
  const { gateway, user } = await open({ [WRITE]: lost })
  await user.type(field('Value of kind'), '2')
  await user.click(button('Save'))
  await within(dialog()).findByRole('region', { name: 'Compare versions' })
  await user.type(field('Value of n'), 'x')
  expect(button('Save merged').disabled).toBe(true)
  await user.type(field('Value of n'), '{Backspace}')
  await waitFor(() => expect(button('Save merged').disabled).toBe(false))
  expect(puts(gateway)).toHaveLength(1)
})

test('a lost race can be given up for the stored version', async () => {
  const { gateway, user } = await open({ [WRITE]: lost })
  await user.type(field('Value of kind'), '2')
  gateway.answers[READ] = () => stored('{"n":2,"kind":"theirs"}', 4)
  await user.click(button('Save'))
  await user.click(await within(dialog()).findByRole('button', { name: 'Load generation 4' }))
  await waitFor(() => expect(field('Value of kind').value).toBe('theirs'))
  expect([within(dialog()).queryByRole('region', { name: 'Compare versions' }), kept()]).toEqual([null, []])
})

test('a record that was deleted meanwhile can be made again', async () => {
  let writes = 0
  const { gateway, user } = await open({ [WRITE]: () => (++writes === 1 ? lost() : done()) })
  await user.type(field('Value of kind'), 'ed')
  gateway.answers[READ] = () => refusal(404, 'record_not_found', 'It is not there.')
  await user.click(button('Save'))
  const again = await within(dialog()).findByRole('button', { name: 'Make it again' })
  gateway.answers[READ] = () => stored(BINS, 1)
  await user.click(again)
  await screen.findByText('Record saved')
  const { headers, query, body } = puts(gateway)[1] ?? {}
  expect([headers?.get('if-match'), headers?.get('if-none-match'), query?.get('ttlSeconds')]).toEqual([null, '*', '0'])
  expect(body).toContain('"kind":"pushed"')
})

test('a draft of an older generation says so before it is saved', async () => {
  await leave()
  const { user } = await open({ [READ]: () => stored(BINS.replace('true', 'false'), 7) })
  await user.click(button('Restore'))
  expect(within(dialog()).getByText('Generation 7 was saved meanwhile.').parentElement?.textContent).toContain(
    'You are editing generation 3.',
  )
  await user.click(button('Compare versions'))
  await waitFor(() => expect(button('Save merged').disabled).toBe(false))
})
