import { beforeEach, expect, test, vi } from 'vitest'
import { type Draft, draftId, dropDraft, keepDraft, MOST_CHARS, MOST_DRAFTS, readDraft } from '../src/records/drafts'
import { hexLines } from '../src/records/hex'
import { laidOut } from '../src/records/json-scan'
import { PART_CHARS, partsOf, partText } from '../src/records/json-parts'

const store = new Map<string, string>()
let room = Infinity

beforeEach(() => {
  store.clear()
  room = Infinity
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => store.get(name) ?? null,
    setItem: (name: string, text: string) => {
      if (text.length > room) throw new DOMException('full', 'QuotaExceededError')
      store.set(name, text)
    },
    removeItem: (name: string) => void store.delete(name),
  })
})

const draft = (text: string): Draft => ({
  at: 1,
  user: 'ada',
  base: { etag: '"3"', generation: '3', bins: '{"n":9007199254740993}' },
  place: undefined,
  edit: { view: 'json', fields: [], text, expiry: 'seconds', seconds: '60' },
})
const id = (key: string): string => draftId('shop', 'events', { text: key, type: 'string' })

test('a draft is read as it was kept, and by its user alone', () => {
  const typed = draft('{\n  "n": 9223372036854775807,\n\n')
  expect(keepDraft(id('a'), typed)).toBe(true)
  expect([readDraft(id('a'), 'ada'), readDraft(id('a'), 'bob'), readDraft(id('b'), 'ada')]).toEqual([
    typed,
    undefined,
    undefined,
  ])
  dropDraft(id('a'))
  expect(readDraft(id('a'), 'ada')).toBeUndefined()
})

test.each(['', 'x', '{}', '{"at":1,"user":"ada","edit":{"view":"hex"}}\n\n', '[1]\n\n'])(
  'what is no draft is none: %s',
  (kept) => {
    store.set(`tessera.record.draft ${id('a')}`, kept)
    expect(readDraft(id('a'), 'ada')).toBeUndefined()
  },
)

test('the oldest drafts make room, by number and by length', () => {
  for (let n = 0; n <= MOST_DRAFTS; n += 1) keepDraft(id(String(n)), draft('{}'))
  expect([readDraft(id('0'), 'ada'), readDraft(id('1'), 'ada')?.user]).toEqual([undefined, 'ada'])
  const long = ' '.repeat(MOST_CHARS / 2)
  keepDraft(id('x'), draft(long))
  keepDraft(id('y'), draft(long))
  expect([readDraft(id('x'), 'ada'), readDraft(id('y'), 'ada')?.edit.text]).toEqual([undefined, long])
})

test('a draft that has no room is not kept, and says so', () => {
  expect(keepDraft(id('a'), draft(' '.repeat(MOST_CHARS)))).toBe(false)
  room = 10
  expect(keepDraft(id('a'), draft('{}'))).toBe(false)
  expect(readDraft(id('a'), 'ada')).toBeUndefined()
})

test('the parts of long JSON are the whole, laid out', () => {
  const item = '{"id":9223372036854775807,"tags":["a","b"],"empty":{}}'
  const text = `{"list":[${Array.from({ length: 3000 }, () => item).join(',')}],"end":true}`
  const parts = partsOf(text)
  const all = parts.map((_, at) => partText(text, parts, at))
  expect(all.length).toBeGreaterThan(2)
  expect(all.map((part) => part.replaceAll(/\s/g, '')).join('')).toBe(text)
  expect(all[1]).toContain('      "tags": [')
  expect(laidOut(text, 2)).toContain(all[0]?.slice(0, 1000))
})

test('a string that is longer than a part is cut, too', () => {
  const text = `{"s":"${'x'.repeat(5 * PART_CHARS)}","n":1}`
  const parts = partsOf(text)
  const all = parts.map((_, at) => partText(text, parts, at))
  expect(Math.max(...all.map(({ length }) => length))).toBeLessThan(2.5 * PART_CHARS)
  expect(all.join('').replaceAll(/\s/g, '')).toBe(text)
})

test('bytes are shown with their offset and as text', () => {
  const lines = hexLines(
    Uint8Array.from({ length: 18 }, (_, at) => at + 60),
    0,
    32,
  ).split('\n')
  expect(lines).toEqual([
    '0000  3c 3d 3e 3f 40 41 42 43 44 45 46 47 48 49 4a 4b  <=>?@ABCDEFGHIJK',
    '0010  4c 4d                                            LM',
  ])
})
