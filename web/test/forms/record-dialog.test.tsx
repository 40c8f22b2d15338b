import { screen, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Exact, parseExact } from '../../src/records/json'
import { RecordDialog } from '../../src/records/rows/RecordDialog'
import { show } from './page'

const record = (text: string): Exact => parseExact(text)

async function open(text: string) {
  function Opened() {
    const [shown, setShown] = useState<Exact | undefined>(() => record(text))
    return <RecordDialog ns="shop" record={shown} onClose={() => setShown(undefined)} />
  }
  return show(Opened, '/query')
}

const dialog = (name: string) => within(screen.getByRole('dialog', { name }))
const link = (): HTMLElement => screen.getByRole('link', { name: 'Open in Records' })
const address = (): Record<string, string> => {
  const { pathname, searchParams } = new URL(link().getAttribute('href') ?? '', location.origin)
  expect(pathname).toBe('/records')
  return Object.fromEntries(searchParams)
}

test('has the name of its record, and shows it whole, with every digit', async () => {
  const { user } = await open('{"set":"events","key":"user:1","bins":{"n":9007199254740993,"price":1.50}}')
  expect(dialog('Record user:1').getByLabelText('Record as JSON').textContent).toBe(
    '{\n  "set": "events",\n  "key": "user:1",\n  "bins": {\n    "n": 9007199254740993,\n    "price": 1.50\n  }\n}',
  )
  await user.click(screen.getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test.each([
  ['"user:1"', { key: 'user:1', keytype: 'string' }],
  ['9007199254740993', { key: '9007199254740993', keytype: 'integer' }],
  ['{"bytes":"+/8="}', { key: '-_8', keytype: 'bytes' }],
])('opens the record of key %s in its editor', async (key, expected) => {
  await open(`{"set":"events","key":${key},"digest":"d1","bins":{}}`)
  expect(address()).toEqual({ ns: 'shop', set: 'events', ...expected })
})

test('a record that keeps no key is opened by its digest, and one without a set has an empty one', async () => {
  await open('{"set":"","digest":"0a1b","bins":{}}')
  expect(screen.getByRole('dialog', { name: 'Record 0a1b' })).toBeTruthy()
  expect(address()).toEqual({ ns: 'shop', set: '', key: '0a1b', keytype: 'digest' })
})

test.each(['{"bins":{"n":1}}', '{"key":"a","bins":{}}', '[1]'])(
  'what says no place cannot be opened: %s',
  async (text) => {
    await open(text)
    expect(screen.getByLabelText('Record as JSON')).toBeTruthy()
    expect(screen.queryByRole('link')).toBeNull()
  },
)

test('its JSON can be copied', async () => {
  vi.stubGlobal('isSecureContext', true)
  onTestFinished(() => void vi.unstubAllGlobals())
  const { user } = await open('{"key":"a"}')
  await user.click(screen.getByRole('button', { name: 'Copy JSON' }))
  await screen.findByRole('button', { name: 'Copied' })
  expect(await navigator.clipboard.readText()).toBe('{\n  "key": "a"\n}')
})
