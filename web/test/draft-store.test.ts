import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type * as store from '../src/pages/query/drafts/draft-store'
import { activeOf, change, type Workbench } from '../src/pages/query/drafts/drafts'
import type { QuerySearch } from '../src/pages/query/search'

// Windows of one browser: each has the module for its own, and all have the same storage.

type Store = typeof store

let storage: Map<string, string>
let written: string[]
let full: boolean

const box = {
  getItem: (key: string) => storage.get(key) ?? null,
  setItem: (key: string, text: string) => {
    if (full) throw new Error('quota')
    if (key.endsWith('drafts')) written.push(text)
    storage.set(key, text)
  },
}

beforeEach(() => {
  storage = new Map()
  written = []
  full = false
  vi.stubGlobal('localStorage', box)
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: () => undefined })
})

afterEach(() => vi.unstubAllGlobals())

interface Window {
  store: Store
  hear: (type: string) => void
  write: (text: string) => void
  text: () => string | undefined
}

async function openWindow(address: QuerySearch = {}, isOwn = false): Promise<Window> {
  vi.resetModules()
  const events = new EventTarget()
  const own = await import('../src/pages/query/drafts/draft-store')
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events))
  own.onWorkbench(() => undefined)
  own.openWorkbench(address, isOwn)
  return {
    store: own,
    hear: (type) => events.dispatchEvent(new Event(type)),
    write: (text) => own.updateWorkbench((bench: Workbench) => change(bench, bench.active, { text })),
    text: () => activeOf(own.workbench()).text,
  }
}

test.each(['storage', 'focus', 'pageshow'])(
  'a window takes over what another wrote, and does not write it, on %s',
  async (type) => {
    const one = await openWindow()
    const other = await openWindow()
    one.write('a')
    const before = written.length
    other.hear(type)
    expect(other.text()).toBe('a')
    one.write('ab')
    other.hear(type)
    other.store.keepPlace(1, [{}])
    expect([one.text(), other.text()]).toEqual(['ab', 'ab'])
    expect(written).toHaveLength(before + 1)
  },
)

test('a change does not write over what another window wrote and this one has not heard of', async () => {
  const one = await openWindow()
  const other = await openWindow()
  one.write('a')
  other.store.updateWorkbench((bench) => ({ ...bench, drafts: [...bench.drafts, { id: 2, text: 'b' }] }))
  one.hear('storage')
  expect(one.store.workbench().drafts.map(({ text }) => text)).toEqual(['a', 'b'])
})

test('what the browser does not keep stays while another page is shown', async () => {
  const { store: own, write, text } = await openWindow()
  write('a')
  full = true
  write('ab')
  expect(own.isKept()).toBe(false)
  own.openWorkbench({}, false)
  expect(text()).toBe('ab')
  full = false
  write('abc')
  expect(own.isKept()).toBe(true)
  expect(written.at(-1)).toContain('abc')
})

test('a window that is reloaded while its address changes shows what was typed last', async () => {
  const session = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => session.get(key) ?? null,
    setItem: (key: string, text: string) => session.set(key, text),
  })
  const before = await openWindow()
  const [now, next] = [{}, { ns: 'shop', request: '{"limit":1}' }]
  before.write('{"limit":12')
  before.store.keepPlace(before.store.workbench().active, [now, next])
  for (const address of [now, next]) {
    const after = await openWindow(address)
    expect(after.text()).toBe('{"limit":12')
  }
  const other = { ns: 'shop', request: '{"limit":2}' }
  // One that the workbench wrote long ago, and the page sees only now.
  expect((await openWindow(other, true)).text()).toBe('{"limit":12')
  expect((await openWindow(other)).text()).not.toBe('{"limit":12')
})
