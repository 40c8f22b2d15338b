import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { RecordsPage } from '../../src/pages/records/RecordsPage'
import { Toasts } from '../../src/ui/toast'
import { faultOf } from '../ui/description'
import { type Answers, Gateway, refusal } from './gateway'
import { show } from './page'

const RECORDS = '/api/v1/namespaces/shop/sets/events/records'
const read = (key: string): string => `GET ${RECORDS}/${key}`
const write = (key: string): string => `PUT ${RECORDS}/${key}`

/** JSON text, because a number of JavaScript would lose digits. */
const stored = (bins: string, generation = 3): Response =>
  new Response(
    `{"set":"events","key":"a","digest":"d1","generation":${generation},"updatedAt":"2026-11-26T12:00:00Z","bins":${bins}}`,
    { headers: { 'content-type': 'application/json', etag: `"${generation}"` } },
  )
const BINS = '{"n":9007199254740993,"kind":"push","ok":true,"gone":null,"raw":{"$bytes":"AQI="},"doc":{"x":1.50}}'
const done = (): Response => new Response(null, { status: 204 })

async function open(address: string, answers: Answers = {}) {
  const gateway = new Gateway({
    [`GET ${RECORDS}`]: { items: [{ key: 'a', digest: 'd1', bins: { kind: 'push' } }] },
    [read('a')]: () => stored(BINS),
    [write('a')]: done,
    ...answers,
  })
  const Page = () => (
    <>
      <RecordsPage />
      <Toasts />
    </>
  )
  const { user } = await show(Page, '/records', `/records${address}`)
  return { gateway, user }
}

/** The editor of a record that is there. */
async function edit(answers: Answers = {}) {
  const opened = await open('?ns=shop&set=events&key=a', answers)
  await screen.findByLabelText('Name of n')
  return opened
}

/** The editor of a new record. */
async function create(answers: Answers = {}) {
  const opened = await open('?ns=shop&set=events&create=true', answers)
  await screen.findByLabelText('Key')
  return opened
}

// Drafts would come to the next test.
beforeEach(() => localStorage.clear())

const field = (name: string): HTMLInputElement => within(dialog()).getByLabelText(name)
const dialog = (): HTMLElement => screen.getByRole('dialog', { name: /ecord/ })
const button = (name: string): HTMLButtonElement => within(dialog()).getByRole('button', { name })
const view = (name: string): HTMLElement => within(dialog()).getByRole('radio', { name })
const text = (): HTMLTextAreaElement => within(dialog()).getByLabelText('Bins as JSON')
const sent = ({ sent: all }: Gateway, method: string) => all.filter(({ line }) => line.startsWith(method))

test('shows a record with its metadata, and each bin with its type and every digit', async () => {
  await edit()
  const rows = ['n', 'kind', 'ok', 'gone', 'raw', 'doc'].map((name) => [
    field(`Type of ${name}`).value,
    field(`Value of ${name}`).value,
  ])
  expect(rows).toEqual([
    ['integer', '9007199254740993'],
    ['string', 'push'],
    ['boolean', 'true'],
    ['null', 'null'],
    ['bytes', 'AQI='],
    ['json', '{\n  "x": 1.50\n}'],
  ])
  expect(dialog().textContent).toContain('seteventsdigestd1generation3')
})

test('saves all bins exactly, for the generation that it shows, and keeps the expiry', async () => {
  const { gateway, user } = await edit()
  await user.clear(field('Value of n'))
  await user.type(field('Value of n'), '-9223372036854775808')
  await user.click(button('Remove kind'))
  await user.selectOptions(field('Type of ok'), 'string')
  await user.click(button('Add a bin'))
  await user.type(field('Name of bin 6'), 'price')
  await user.selectOptions(field('Type of price'), 'double')
  await user.type(field('Value of price'), '2')
  await user.click(button('Save'))
  await screen.findByText('Record saved')
  const [put] = sent(gateway, 'PUT')
  expect(put?.body).toBe(
    '{"n":-9223372036854775808,"ok":"true","gone":null,"raw":{"$bytes":"AQI="},"doc":{"x":1.50},"price":2.0}',
  )
  expect([put?.line, put?.query.get('ttlSeconds'), put?.headers.get('if-match')]).toEqual([write('a'), '-2', '"3"'])
})

test.each([
  ['integer', '9223372036854775808', 'Enter a whole number from −2^63 to 2^63−1'],
  ['integer', '1.5', 'Enter a whole number from −2^63 to 2^63−1'],
  ['double', 'fast', 'Enter a number such as 1.5 or 2e10'],
  ['bytes', 'AQI', 'Enter base64 with padding'],
])('%s of “%s” is refused at its bin', async (type, value, words) => {
  const { gateway, user } = await edit()
  await user.selectOptions(field('Type of kind'), type)
  await user.clear(field('Value of kind'))
  await user.paste(value)
  expect([faultOf(field('Value of kind')), faultOf(field('Name of kind'))]).toEqual([words, undefined])
  expect(button('Save').disabled).toBe(true)
  await user.keyboard('{Enter}')
  expect(sent(gateway, 'PUT')).toEqual([])
})

test('two bins of one name, or one without a name, are refused', async () => {
  const { gateway, user } = await edit()
  await user.clear(field('Name of kind'))
  await user.paste('ok')
  const twice = 'Another bin has this name'
  expect(within(dialog()).getAllByLabelText('Name of ok').map(faultOf)).toEqual([twice, twice])
  expect(button('Save').disabled).toBe(true)
  await user.clear(screen.getAllByLabelText('Name of ok')[0] ?? dialog())
  expect(faultOf(field('Name of bin 2'))).toBe('Enter a name for the bin')
  expect([button('Save').disabled, sent(gateway, 'PUT')]).toEqual([true, []])
})

test('an empty row is no bin', async () => {
  const { gateway, user } = await edit()
  await user.click(button('Add a bin'))
  expect(button('Save').disabled).toBe(false)
  await user.click(button('Save'))
  await screen.findByText('Record saved')
  expect(sent(gateway, 'PUT')[0]?.body).toBe(
    '{"n":9007199254740993,"kind":"push","ok":true,"gone":null,"raw":{"$bytes":"AQI="},"doc":{"x":1.50}}',
  )
})

test('form and JSON say the same, and what is wrong stays where it is', async () => {
  const { gateway, user } = await edit()
  await user.click(view('JSON'))
  expect(text().value).toContain('"n": 9007199254740993')
  await user.clear(text())
  await user.paste('{"n":12345678901234567890')
  expect([text().getAttribute('aria-invalid'), button('Save').disabled]).toEqual(['true', true])
  await user.click(view('form'))
  expect(
    within(dialog())
      .getByText(/^Correct what is wrong in this JSON first/)
      .getAttribute('role'),
  ).toBe('alert')
  expect(text().value).toBe('{"n":12345678901234567890')
  await user.type(text(), ',"m":0.10}')
  await user.click(view('form'))
  expect([field('Type of m').value, field('Value of m').value]).toEqual(['double', '0.10'])
  await user.click(view('JSON'))
  // Too large for 64 bits: the form cannot send it.
  expect(
    within(dialog())
      .getByText(/^Correct what is wrong in these bins first/)
      .getAttribute('role'),
  ).toBe('alert')
  await user.type(field('Value of n'), '{Backspace}')
  await user.click(button('Save'))
  await screen.findByText('Record saved')
  expect(sent(gateway, 'PUT')[0]?.body).toBe('{"n":1234567890123456789,"m":0.10}')
})

test('JSON that is no object is refused at the field', async () => {
  const { gateway, user } = await edit()
  await user.click(view('JSON'))
  await user.clear(text())
  await user.paste('[1]')
  expect(within(dialog()).getByRole('alert').textContent).toBe('Enter a JSON object with the bins')
  expect([button('Save').disabled, sent(gateway, 'PUT')]).toEqual([true, []])
})

test.each(['', '0', '-5', '1.5', 'soon'])('an expiry in “%s” seconds is refused at its field', async (seconds) => {
  const { gateway, user } = await edit()
  await user.selectOptions(field('Expiry'), 'in seconds…')
  await user.click(field('Seconds'))
  await user.paste(seconds)
  expect(within(dialog()).getByRole('alert').textContent).toBe('A whole number, 1 or more')
  expect([field('Seconds').getAttribute('aria-invalid'), button('Save').disabled]).toEqual(['true', true])
  await user.keyboard('{Enter}')
  expect(sent(gateway, 'PUT')).toEqual([])
  await user.clear(field('Seconds'))
  await user.type(field('Seconds'), '60')
  await user.click(button('Save'))
  await screen.findByText('Record saved')
  expect(sent(gateway, 'PUT')[0]?.query.get('ttlSeconds')).toBe('60')
})

test('a refusal is shown, and the form keeps its values', async () => {
  const { user } = await edit({ [write('a')]: () => refusal(413, 'record_too_large', 'It has 2 MiB.') })
  await user.type(field('Value of kind'), '2')
  await user.click(button('Save'))
  await within(dialog()).findByText('It has 2 MiB.')
  expect([field('Value of kind').value, button('Save').disabled]).toEqual(['push2', false])
})

test('a record is deleted after a question, for the generation that is shown', async () => {
  const { gateway, user } = await edit({ [`DELETE ${RECORDS}/a`]: done })
  await user.click(button('Delete…'))
  expect(sent(gateway, 'DELETE')).toEqual([])
  await user.click(button('Cancel'))
  await user.click(button('Delete…'))
  await user.click(button('Delete record'))
  await screen.findByText('Record deleted')
  expect(sent(gateway, 'DELETE').map(({ headers }) => headers.get('if-match'))).toEqual(['"3"'])
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('a new record needs a set and a key, and takes no place of another', async () => {
  const { gateway, user } = await create({ [write('user%2F1')]: done, [read('user%2F1')]: () => stored('{}') })
  expect(button('Create').disabled).toBe(true)
  await user.type(field('Key'), 'user/1')
  await user.type(field('Name of bin 1'), 'kind')
  await user.type(field('Value of kind'), 'push{Enter}')
  await screen.findByText('Record created')
  const [put] = sent(gateway, 'PUT')
  expect([put?.line, put?.body]).toEqual([write('user%2F1'), '{"kind":"push"}'])
  expect([put?.query.get('ttlSeconds'), put?.headers.get('if-none-match')]).toEqual(['0', '*'])
  await screen.findByRole('dialog', { name: 'Record user/1' })
})

test('a new record can make its set, or have none', async () => {
  const into = (path: string): string => `PUT /api/v1/namespaces/shop${path}/records/7`
  const { gateway, user } = await create({ [into('/sets/fresh')]: () => refusal(503, 'overloaded', 'Not now.') })
  await user.type(field('Key'), '7')
  await user.selectOptions(field('Key type'), 'integer')
  await user.type(field('Name of bin 1'), 'n')
  await user.clear(field('or a new set'))
  expect(button('Create').disabled).toBe(true)
  await user.type(field('or a new set'), 'fresh')
  await user.click(button('Create'))
  await within(dialog()).findByText('Not now.')
  await user.selectOptions(field('Set'), 'without a set')
  await user.click(button('Create'))
  await waitFor(() => expect(sent(gateway, 'PUT').map(({ line }) => line)).toEqual([into('/sets/fresh'), into('')]))
  expect(sent(gateway, 'PUT').map(({ query }) => query.get('keytype'))).toEqual(['integer', 'integer'])
})

test.each([
  ['integer', 'seven', 'Enter a whole number from −2^63 to 2^63−1'],
  ['integer', '9223372036854775808', 'Enter a whole number from −2^63 to 2^63−1'],
  ['bytes', 'a b', 'Enter base64'],
  ['bytes', 'abcde', 'Enter base64'],
])('a new key of type %s and “%s” is refused at its field', async (type, key, words) => {
  const { gateway, user } = await create()
  await user.type(field('Name of bin 1'), 'n')
  await user.selectOptions(field('Key type'), type)
  await user.click(field('Key'))
  await user.paste(key)
  expect(within(dialog()).getByRole('alert').textContent).toBe(words)
  expect([field('Key').getAttribute('aria-invalid'), button('Create').disabled]).toEqual(['true', true])
  await user.keyboard('{Enter}')
  expect(sent(gateway, 'PUT')).toEqual([])
})

test('digits are looked up as an integer first, and then as a string', async () => {
  const { gateway, user } = await open('?ns=shop&set=events', {
    [read('42')]: ({ query }) =>
      query.get('keytype') === 'integer' ? refusal(404, 'record_not_found', 'There is no 42.') : stored(BINS),
  })
  const key = await screen.findByLabelText('Open a key or find a value')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Find' }).disabled).toBe(true)
  await user.type(key, '42{Enter}')
  await screen.findByLabelText('Name of n')
  // Both are looked for without their bins, and the one that is there is opened.
  const asked = sent(gateway, read('42')).map(({ query }) => [query.get('keytype'), query.get('bins')])
  expect(asked).toEqual([
    ['integer', ''],
    [null, ''],
    [null, null],
  ])
})
