// Slow operations: what the page keeps in its URL, and where the time went.
import { expect, test } from 'vitest'
import { readSlowSearch } from '../src/pages/slow/search'
import { mainPart, splitParts } from '../src/pages/slow/split'

const read = (raw: object) => readSlowSearch(raw as Parameters<typeof readSlowSearch>[0])

test('an address that says nothing shows the newest operations of all', () => {
  expect(read({})).toEqual({ ns: undefined, op: undefined, group: 'none', sort: 'newest' })
  expect(read({ ns: 7, op: 'fly', group: 'key', sort: 'fastest' })).toMatchObject({
    op: undefined,
    group: 'none',
    sort: 'newest',
  })
  expect(read({ ns: 'shop', op: 'scan', group: 'shape', sort: 'slowest' })).toEqual({
    ns: 'shop',
    op: 'scan',
    group: 'shape',
    sort: 'slowest',
  })
})

test('parts have their share, and those without time are left out', () => {
  const split = { queueMs: 1, indexMs: 2, deviceMs: 7, decodeMs: 0, replyMs: 0 }
  expect(splitParts(split).map(({ label, percent }) => [label, percent])).toEqual([
    ['queue', 10],
    ['index', 20],
    ['device', 70],
  ])
  expect(mainPart(split)).toBe('device')
  const nothing = { queueMs: 0, indexMs: 0, deviceMs: 0, decodeMs: 0, replyMs: 0 }
  expect([splitParts(nothing), mainPart(nothing)]).toEqual([[], '–'])
})
