import { describe, expect, test } from 'vitest'
import { titleOf } from '../src/pages/query/drafts/draft-title'
import { readDrafts } from '../src/pages/query/drafts/draft-store'
import {
  activeOf,
  add,
  addressOf,
  adopt,
  arrive,
  change,
  close,
  detach,
  emptyWorkbench,
  isBlank,
  MOST_CLOSED,
  MOST_DRAFTS,
  open,
  reopen,
  show,
  step,
  type Workbench,
} from '../src/pages/query/drafts/drafts'
import { tabAction } from '../src/pages/query/drafts/use-tab-keys'

const textOf = (set: string): string => `{"set":"${set}","limit":5}`
const ids = ({ drafts }: Workbench): number[] => drafts.map(({ id }) => id)
const sets = ({ drafts }: Workbench): unknown[] =>
  drafts.map(({ text = '{}' }) => (JSON.parse(text) as { set?: string }).set)

/** a, b and c, of which b is shown. */
const three = show(
  ['a', 'b', 'c'].reduce((bench, set) => open(bench, { ns: 'shop', text: textOf(set) }), emptyWorkbench),
  2,
)

describe('open queries', () => {
  test('begin as a blank one, which is filled by the first that is opened', () => {
    expect(isBlank(activeOf(emptyWorkbench))).toBe(true)
    expect(sets(three)).toEqual(['a', 'b', 'c'])
    expect(ids(three)).toEqual([1, 2, 3])
  })

  test('a new one stands beside the one that is shown, in its namespace', () => {
    const bench = add(three)
    expect(ids(bench)).toEqual([1, 2, 4, 3])
    expect(activeOf(bench)).toMatchObject({ id: 4, ns: 'shop' })
    expect(isBlank(activeOf(bench))).toBe(true)
  })

  test('one that is open already is shown, not opened twice', () => {
    const again = open(three, { ns: 'shop', text: '{ "set" : "c", "limit": 5 }' })
    expect([ids(again), again.active]).toEqual([ids(three), 3])
    expect(open(three, { ns: 'other', text: textOf('c') }).drafts).toHaveLength(4)
  })

  test('next and previous go round', () => {
    expect([1, 2, -1, -2].map((by) => step(three, by).active)).toEqual([3, 1, 1, 3])
  })

  test('closing shows the right neighbour, else the left, else a blank one', () => {
    expect(close(three, 2)).toMatchObject({ active: 3, closed: [{ id: 2 }] })
    expect(close(show(three, 3), 3).active).toBe(2)
    expect(close(three, 1).active).toBe(2)
    const last = close(close(close(three, 1), 2), 3)
    expect(isBlank(activeOf(last))).toBe(true)
    expect(last.drafts).toEqual([{ id: 4, ns: 'shop', text: activeOf(last).text }])
    expect(last.closed.map(({ id }) => id)).toEqual([3, 2, 1])
  })

  test('what was closed is opened again, but not what was blank', () => {
    const back = reopen(close(three, 2))
    expect(sets(back)).toEqual(['a', 'c', 'b'])
    expect(back.closed).toEqual([])
    expect(close(add(three), 4).closed).toEqual([])
    expect(reopen(three)).toBe(three)
  })

  test('are bounded: the first gives way, and can be opened again', () => {
    let bench = three
    for (let n = 0; n < MOST_DRAFTS; n += 1) bench = open(bench, { text: textOf(`more-${n}`) })
    expect(bench.drafts).toHaveLength(MOST_DRAFTS)
    expect(bench.closed.map(({ id }) => id)).toContain(1)
    for (const { id } of bench.drafts) bench = close(bench, id)
    expect(bench.closed).toHaveLength(MOST_CLOSED)
  })

  test('stand on their own when the saved query is removed', () => {
    const bench = detach(change(three, 1, { saved: 'q1', text: undefined }), 'q1')
    expect(bench.drafts[0]).toMatchObject({ saved: undefined, text: expect.stringContaining('limit') as string })
  })

  test('follow another window, and show what they showed', () => {
    const other = close(three, 1)
    expect(adopt(three, other)).toMatchObject({ active: 2, drafts: other.drafts })
    expect(adopt(three, close(three, 2)).active).toBe(3)
  })
})

describe('an address', () => {
  test('says the request of the draft, unless that is blank or too long', () => {
    expect(addressOf(activeOf(three))).toEqual({ ns: 'shop', request: textOf('b'), saved: undefined })
    expect(addressOf(activeOf(emptyWorkbench)).request).toBeUndefined()
    const long = JSON.stringify({ where: 'x'.repeat(10_000) })
    expect(addressOf({ ns: 'shop', text: long, saved: 'q1' })).toEqual({ ns: 'shop', request: undefined, saved: 'q1' })
  })

  test('shows the draft that says the same, else opens one', () => {
    expect(arrive(three, { ns: 'shop', request: '{ "set": "a", "limit": 5 }' }).active).toBe(1)
    const fresh = arrive(three, { ns: 'shop', request: textOf('d') })
    expect(sets(fresh)).toEqual(['a', 'b', 'd', 'c'])
    expect(arrive(three, { ns: 'shop', request: textOf('b'), saved: 'q1' }).drafts).toHaveLength(4)
  })

  test('of a saved query alone opens a draft that waits for its text', () => {
    expect(activeOf(arrive(three, { saved: 'q1' }))).toEqual({ id: 4, ns: undefined, text: undefined, saved: 'q1' })
  })

  test('of a namespace alone shows a draft in it; of nothing, what was shown', () => {
    expect(arrive(three, {})).toBe(three)
    expect(arrive(three, { ns: 'shop' })).toBe(three)
    const other = arrive(three, { ns: 'other' })
    expect(activeOf(other)).toMatchObject({ id: 4, ns: 'other' })
    expect(arrive(show(other, 1), { ns: 'other' }).active).toBe(4)
  })
})

describe('what the browser kept', () => {
  test('is read again', () => {
    const { drafts, closed } = close(three, 1)
    expect(readDrafts(JSON.stringify({ drafts, closed }))).toEqual({ drafts, closed: [{ ...closed[0] }] })
  })

  test.each([
    null,
    '',
    '{',
    '7',
    '{"drafts":[]}',
    '{"drafts":7}',
    '{"drafts":[{"id":"1","text":"{}"}]}',
    '{"drafts":[{"id":1}]}',
    '{"drafts":[{"id":1,"text":"{}"}],"closed":[{"id":1,"text":"{}"}]}',
  ])('is left where it is something else: %s', (text) => expect(readDrafts(text)).toBeUndefined())
})

describe('a title', () => {
  test.each([
    ['{"limit":100}', 'New query'],
    ['{"set":"orders","where":{"bin":"total","op":"lt","value":3}}', 'total < 3'],
    ['{"where":{"bin":"detail","path":"a.b","op":"hasAny","value":["x","y"]}}', 'detail.a.b has any key of ["x","y"]'],
    [
      '{"where":{"or":[{"bin":"a","op":"eq","value":9007199254740993},{"not":{"and":[{"bin":"b","op":"exists"},{"bin":"c","op":"eq","value":1}]}}]}}',
      'a = 9007199254740993 or not (b exists and c = 1)',
    ],
    [
      '{"where":{"bin":"payload","op":"contains","value":{"commits":[{"author":{"email":"test@gmail.com"}}]}}}',
      'payload contains {"commits":[{"author":{…',
    ],
    ['{"set":"events","group":{"by":["type",{"bin":"repo","path":"name"}]}}', 'events by type, repo.name'],
    ['{"set":"events","select":["type","actor"]}', 'type, actor of events'],
    ['{"where":{"and":[]},"set":"events"}', 'events'],
    ['{"where":\n  {"bin"', '{"where": {"bin"'],
    ['', 'Empty'],
  ])('of %s', (text, title) => expect(titleOf(text)).toBe(title))

  test('is cut', () => expect(titleOf(`{"set":"${'x'.repeat(80)}"}`)).toHaveLength(48))
})

test('keys of the workbench are Alt and a letter, wherever the letter stands', () => {
  const press = (key: string, more: Partial<KeyboardEvent> = {}, writing = false) =>
    tabAction(
      { altKey: true, ctrlKey: false, metaKey: false, shiftKey: false, key, code: '', ...more } as KeyboardEvent,
      writing,
    )
  expect(['n', 'w', 'PageDown', 'PageUp', 'x'].map((key) => press(key))).toEqual([
    'add',
    'close',
    'next',
    'previous',
    undefined,
  ])
  expect(press('N', { shiftKey: true })).toBe('reopen')
  expect(press('Dead', { code: 'KeyN' })).toBe('add')
  // A Mac writes ∑ with Alt and W, and begins ñ with Alt and N.
  expect(press('∑', { code: 'KeyW' }, true)).toBeUndefined()
  expect(press('Dead', { code: 'KeyN' }, true)).toBeUndefined()
  expect(press('n', { code: 'KeyN' }, true)).toBe('add')
  expect(press('n', { altKey: false })).toBeUndefined()
  expect(press('n', { ctrlKey: true })).toBeUndefined()
})
