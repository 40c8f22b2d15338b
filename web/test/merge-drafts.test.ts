import { describe, expect, test } from 'vitest'
import type { OpenQuery } from '../src/api/types'
import { type Draft, emptyWorkbench } from '../src/pages/query/drafts/drafts'
import { type Base, mergeDrafts } from '../src/pages/query/drafts/merge-drafts'
import { sendable } from '../src/pages/query/drafts/sendable'
import { dice } from './dice'

// What two browsers of one person have changed is merged, and nothing that was typed is lost.

const from = { browser: 'Firefox, Linux', at: '2026-01-31T12:00:00.000Z' }
const item = (key: string, request: string): OpenQuery => ({ key, request })
const draft = (id: number, key: string | undefined, text: string): Draft => ({
  id,
  text,
  ...(key !== undefined && { key }),
})
const blank = emptyWorkbench.drafts[0] as Draft

function merge(base: Base, mine: readonly Draft[], theirs: readonly OpenQuery[]) {
  let [keys, id] = [0, Math.max(0, ...mine.map((one) => one.id))]
  return mergeDrafts(base, mine, theirs, { from, newKey: () => `new${(keys += 1)}`, newId: () => (id += 1) })
}

const short = (drafts: readonly Draft[]): string[] => drafts.map(({ key, text }) => `${key ?? '-'}:${text ?? ''}`)

describe('a query that one browser changed', () => {
  test.each([
    ['here', 'x1', 'x', 'a:x1'],
    ['there', 'x', 'x1', 'a:x1'],
    ['in both to the same', 'x1', 'x1', 'a:x1'],
  ])('%s has the change', (_, mine, theirs, result) => {
    const { drafts, gone } = merge({ items: [item('a', 'x')] }, [draft(7, 'a', mine)], [item('a', theirs)])
    expect([short(drafts), drafts[0]?.id, gone]).toEqual([[result], 7, []])
  })

  test('and the other closed stays, wherever that was', () => {
    const base = { items: [item('a', 'x')] }
    expect(short(merge(base, [draft(1, 'a', 'x1')], []).drafts)).toEqual(['a:x1'])
    expect(short(merge(base, [], [item('a', 'x1')]).drafts)).toEqual(['a:x1'])
  })
})

test('what both changed is there twice: each goes on with its own, and the second says where it was typed', () => {
  const { drafts } = merge({ items: [item('a', 'x')] }, [draft(3, 'a', 'mine')], [item('a', 'theirs')])
  expect(drafts).toEqual([
    { id: 3, key: 'new1', text: 'mine', from },
    { id: 4, key: 'a', text: 'theirs', ns: undefined, saved: undefined },
  ])
})

test('nothing that was cleared comes in the way of what was typed', () => {
  const base = { items: [item('a', 'x')] }
  expect(short(merge(base, [draft(1, 'a', 'x1')], [item('a', ' ')]).drafts)).toEqual(['a:x1'])
  expect(short(merge(base, [draft(1, 'a', '')], [item('a', 'x1')]).drafts)).toEqual(['a:x1'])
})

test('a query that was closed in one browser is closed, and can be reopened', () => {
  const base = { items: [item('a', 'x'), item('b', 'y')] }
  const there = merge(base, [draft(1, 'a', 'x'), draft(2, 'b', 'y')], [item('b', 'y')])
  expect([short(there.drafts), short(there.gone)]).toEqual([['b:y'], ['a:x']])
  expect(short(merge(base, [draft(2, 'b', 'y')], base.items).drafts)).toEqual(['b:y'])
})

test('new ones of both are there, each behind its left neighbour', () => {
  const base = { items: [item('a', 'x'), item('b', 'y')] }
  const mine = [draft(1, 'a', 'x'), draft(3, undefined, 'm'), draft(2, 'b', 'y'), { ...blank, id: 4 }]
  const { drafts } = merge(base, mine, [item('t0', '0'), item('a', 'x'), item('b', 'y'), item('t', '1')])
  expect(drafts.map(({ key, text }) => key ?? text)).toEqual(['t0', 'a', 'new1', 'b', 't', blank.text])
})

test('what an address has opened is not opened twice', () => {
  const { drafts } = merge({ items: [] }, [draft(1, undefined, 'x')], [item('a', 'x'), item('b', 'x')])
  expect(short(drafts)).toEqual(['a:x', 'b:x'])
})

describe('a write of which no answer came', () => {
  const base = { items: [item('a', 'x')], sent: [item('a', 'x1'), item('n', 'new')] }

  test('was taken: what was typed since is no conflict', () => {
    const mine = [draft(1, 'a', 'x12'), draft(2, 'n', 'newer')]
    expect(short(merge(base, mine, base.sent).drafts)).toEqual(['a:x12', 'n:newer'])
    expect(short(merge(base, [draft(1, 'a', 'x12')], base.sent).drafts)).toEqual(['a:x12'])
  })

  test('was not taken: it is still to be sent', () => {
    const mine = [draft(1, 'a', 'x12'), draft(2, 'n', 'newer')]
    expect(short(merge(base, mine, base.items).drafts)).toEqual(['a:x12', 'n:newer'])
  })
})

test('a browser that knows nothing of the server loses nothing, and neither does the server', () => {
  const { drafts, gone } = merge({ items: [] }, [draft(1, 'a', 'mine')], [item('a', 'theirs'), item('b', 'y')])
  expect([short(drafts).toSorted(), gone]).toEqual([['a:theirs', 'b:y', 'new1:mine'], []])
})

test('whatever several browsers type, open and close, no text is lost and all come to the same', () => {
  const roll = dice(7)
  const pick = (most: number): number => Math.floor(roll() * most)
  for (let round = 0; round < 300; round += 1) {
    let server: readonly OpenQuery[] = []
    let counter = 0
    const browsers = [0, 1, 2].map((n) => ({
      n,
      base: { items: [] } as Base,
      drafts: [] as readonly Draft[],
      closed: [] as string[],
    }))
    /** The texts that nobody has typed over or closed, in the browser where they were typed last. */
    const means = () => ({ from, newKey: () => `k${(counter += 1)}`, newId: () => (counter += 1) })
    const sync = (browser: (typeof browsers)[number]): void => {
      const texts = browser.drafts.map(({ text }) => text)
      const { drafts, gone } = mergeDrafts(browser.base, browser.drafts, server, means())
      for (const their of server) {
        const isOpen = drafts.some(({ text }) => text === their.request)
        const wasKnown = browser.base.items.some(({ key, request }) => key === their.key && request === their.request)
        expect(isOpen || wasKnown, 'theirs').toBe(true)
      }
      for (const text of texts) {
        const isOpen = [...drafts, ...gone].some((one) => one.text === text)
        const wasKnown = browser.base.items.some(({ request }) => request === text)
        expect(isOpen || wasKnown, 'mine').toBe(true)
      }
      browser.drafts = drafts
      server = sendable(drafts, server).items
      browser.base = { items: server }
    }
    for (let step = 0; step < 25; step += 1) {
      const browser = browsers[pick(3)] as (typeof browsers)[number]
      const { drafts } = browser
      const at = pick(drafts.length)
      const deed = roll()
      if (deed < 0.3) browser.drafts = [...drafts, { id: (counter += 1), text: `t${counter}` }]
      else if (deed < 0.6)
        browser.drafts = drafts.map((one, n) => (n === at ? { ...one, text: `t${(counter += 1)}` } : one))
      else if (deed < 0.7) browser.drafts = drafts.toSpliced(at, 1)
      else sync(browser)
    }
    for (const browser of [...browsers, ...browsers]) sync(browser)
    for (const { drafts } of browsers)
      expect(short(drafts).toSorted()).toEqual(server.map(({ key, request }) => `${key}:${request ?? ''}`).toSorted())
  }
})

describe('what is sent', () => {
  test('leaves out what is too long, and keeps what the server has of it', () => {
    const long = 'x'.repeat(600_000)
    const drafts = [draft(1, 'a', 'x1'), draft(2, 'b', long), draft(3, 'c', long), { ...blank, id: 4 }]
    const { items, left } = sendable(drafts, [item('a', 'x'), item('b', 'short')])
    expect(items).toEqual([item('a', 'x1'), item('b', 'short')])
    expect(left.map(({ id }) => id)).toEqual([2, 3])
  })

  test('is as much as fits, however the bytes are counted', () => {
    const drafts = Array.from({ length: 12 }, (_, n) => draft(n + 1, `k${n}`, '"ä\u0001\n'.repeat(6000 + n)))
    const { items, left } = sendable(drafts, [])
    expect(new TextEncoder().encode(JSON.stringify({ items })).length).toBeLessThanOrEqual(512 * 1024)
    expect([items.length + left.length, left.map(({ id }) => id)]).toEqual([12, expect.arrayContaining([12])])
  })

  test('is at most 100 queries, of names that the server takes', () => {
    const many = Array.from({ length: 102 }, (_, n) => draft(n + 1, `k${n}`, 'x'))
    expect(sendable(many, []).items).toHaveLength(100)
    expect(sendable([{ id: 1, key: 'a', ns: 'n'.repeat(256), text: 'x' }], []).left).toHaveLength(1)
  })
})
