import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
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
  removeItem: (key: string) => storage.delete(key),
  setItem: (key: string, text: string) => {
    if (full) throw new Error('quota')
    if (key.includes('.drafts ')) written.push(text)
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

async function openWindow(address: QuerySearch = {}, writtenMs = 0, person = 'ada'): Promise<Window> {
  vi.resetModules()
  const events = new EventTarget()
  const own = await import('../src/pages/query/drafts/draft-store')
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events))
  own.onWorkbench(() => undefined)
  own.takeUp(person)
  own.openWorkbench(address, writtenMs)
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
    other.store.keepActive(1)
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
  own.openWorkbench({}, 0)
  expect(text()).toBe('ab')
  full = false
  write('abc')
  expect(own.isKept()).toBe(true)
  expect(written.at(-1)).toContain('abc')
})

test('nobody else sees what a person typed, in this window or in another', async () => {
  const { store: own, write } = await openWindow({ ns: 'shop', request: '{"limit":1}' })
  write('of ada')
  own.takeUp('grace')
  own.openWorkbench({}, 0)
  expect(own.workbench().drafts).toHaveLength(1)
  expect(activeOf(own.workbench()).text).not.toContain('ada')
  const other = await openWindow({}, 0, 'grace')
  expect(JSON.stringify(other.store.workbench())).not.toContain('ada')
  own.takeUp('ada')
  expect(JSON.stringify(own.workbench())).toContain('of ada')
})

test('what a person typed leaves the browser, but for what is nowhere else', async () => {
  const { store: own, write } = await openWindow()
  write('sent')
  own.forgetDrafts('ada', [{ id: 7, text: 'unsent' }])
  expect([...storage.values()].join()).not.toContain('"sent"')
  own.updateWorkbench((bench) => change(bench, bench.active, { text: 'of nobody' }))
  expect([...storage.values()].join()).not.toContain('of nobody')
  const again = await openWindow()
  expect(again.text()).toBe('unsent')
  again.store.forgetDrafts('ada', [])
  expect([...storage.keys()]).toEqual([])
})

describe('what was typed is newer than the address', () => {
  const [older, other] = [
    { ns: 'shop', request: '{"limit":1}' },
    { ns: 'shop', request: '{"limit":2}' },
  ]
  let typed: Window

  beforeEach(async () => {
    const session = new Map<string, string>()
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => session.get(key) ?? null,
      setItem: (key: string, text: string) => session.set(key, text),
    })
    typed = await openWindow()
    typed.write('{"limit":12')
  })

  test('and stays if the browser loads the page again, with any address that it had', async () => {
    const loads = (type: string, page: string) => [{ type, name: `http://localhost${page}?ns=shop` }]
    const load = vi.spyOn(performance, 'getEntriesByType').mockReturnValue(loads('reload', '/query') as never)
    vi.stubGlobal('location', { pathname: '/query' })
    const again = await openWindow(older)
    expect(again.text()).toBe('{"limit":12')
    // A page that is made twice in one load has the same address.
    again.store.openWorkbench(older, 0)
    expect(again.text()).toBe('{"limit":12')
    // It comes back from another page now.
    again.store.openWorkbench(other, 0)
    expect(again.text()).not.toBe('{"limit":12')
    for (const [type, page] of [
      ['navigate', '/query'],
      ['reload', '/live'],
    ] as const) {
      load.mockReturnValue(loads(type, page) as never)
      expect([type, (await openWindow(other)).text()]).toEqual([type, expect.not.stringContaining('12')])
    }
    load.mockRestore()
  })

  test('and stays at the address that this window saw last, even if the browser does not tell a reload', async () => {
    typed.store.comeTo(older, typed.store.nowMs())
    expect((await openWindow(older)).text()).toBe('{"limit":12')
    expect(JSON.parse((await openWindow(other)).text() ?? '')).toEqual({ limit: 2 })
  })

  test('and stays if the workbench wrote the address, however late the page sees it', async () => {
    const written = typed.store.nowMs()
    typed.store.comeTo(older, written)
    expect(typed.text()).toBe('{"limit":12')
    expect((await openWindow(older, written)).text()).toBe('{"limit":12')
  })

  test('but not if another address came in between: the browser goes back', () => {
    const written = typed.store.nowMs()
    typed.store.comeTo(other, 0)
    expect(JSON.parse(typed.text() ?? '')).toEqual({ limit: 2 })
    typed.store.comeTo(older, written)
    expect(JSON.parse(typed.text() ?? '')).toEqual({ limit: 1 })
  })
})
