import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepText, keptText } from '../src/pages/streams/kept-text'

let storage: Map<string, string>

beforeEach(() => {
  storage = new Map()
  const getItem = (key: string) => storage.get(key) ?? null
  const setItem = (key: string, text: string): void => {
    if (text.length > 1000) throw new Error('full')
    storage.set(key, text)
  }
  vi.stubGlobal('sessionStorage', { getItem, setItem, removeItem: (key: string) => void storage.delete(key) })
})

afterEach(() => vi.unstubAllGlobals())

test('a text is found again at its address, and at no other', () => {
  const address = { ns: 'shop', request: '{"steps":[]}' }
  keepText([address], '{"steps":[')
  expect(keptText({ ...address })).toBe('{"steps":[')
  expect(keptText({ ns: 'archive', request: address.request })).toBeUndefined()
  expect(keptText({ ns: 'shop' })).toBeUndefined()
  keepText([{}], 'too long for an address')
  expect(keptText({})).toBe('too long for an address')
  expect(keptText(address)).toBeUndefined()
})

test('a text is found at the address that the page has asked for', () => {
  const [now, next] = [{ ns: 'shop' }, { ns: 'shop', request: '{"steps":[]}' }]
  keepText([now, next], '{"steps":[] ')
  expect([now, next].map(keptText)).toEqual(['{"steps":[] ', '{"steps":[] '])
})

test.each(['', '{', '[]', '7', 'null', '{"text":7}', '{"text":"a","addresses":7}'])(
  'what is kept may be anything: %s',
  (text) => {
    keepText([{}], 'a')
    for (const key of storage.keys()) storage.set(key, text)
    expect(keptText({})).toBeUndefined()
  },
)

test('an older text does not come back where there is no room for a newer one', () => {
  keepText([{}], 'a')
  keepText([{}], 'b'.repeat(2000))
  expect(keptText({})).toBeUndefined()
})

test('a browser that keeps nothing is no reason to fail', () => {
  const refuse = (): never => {
    throw new Error('denied')
  }
  vi.stubGlobal('sessionStorage', { getItem: refuse, setItem: refuse, removeItem: refuse })
  keepText([{}], 'a')
  expect(keptText({})).toBeUndefined()
})
