// Slow operations: what the page keeps in its URL, and where the time went.
import { expect, test } from 'vitest'
import { operationsOf } from '../src/live/filter'
import { readRangeSearch } from '../src/live/range'
import { windowNames } from '../src/live/window'
import { readLiveSearch } from '../src/pages/live/search'
import { operationColumns } from '../src/pages/slow/columns'
import { liveMoment, windowOf } from '../src/pages/slow/live-moment'
import { readSlowSearch } from '../src/pages/slow/search'
import { mainPart, splitParts } from '../src/pages/slow/split'

const slow = {
  id: 7,
  op: 'scan',
  outcome: 'ok',
  namespace: 'shop',
  startedAt: '',
  durationMs: 0,
  engineMs: 0,
  split: { queueMs: 0, indexMs: 0, deviceMs: 0, decodeMs: 0, replyMs: 0 },
  threads: 1,
} as const
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
  expect(read({ op: 'reads' }).op).toBe('reads')
})

test('a group is asked for by its operations', () => {
  expect(operationsOf('reads')).toEqual(['get', 'scan', 'query', 'index-lookup'])
  expect(operationsOf('writes')).toEqual(['put', 'update', 'delete'])
  expect(operationsOf('batch')).toEqual(['batch'])
  expect(operationsOf(undefined)).toBeUndefined()
})

test('a span of time is two moments', () => {
  expect(read({ from: 1, to: 2 })).toMatchObject({ from: 1, to: 2 })
  expect(read({ from: 'yesterday', to: 1e300 })).toMatchObject({ from: undefined, to: undefined })
})

test('an operation is shown on Live when it ended, in the shortest window that has that moment', () => {
  const nowMs = Date.parse('2026-11-26T12:00:00Z')
  const operation = { ...slow, startedAt: '2026-11-26T11:58:00.000Z', durationMs: 1200.4 }
  const search = liveMoment(operation, nowMs)
  expect(search).toEqual({ ns: 'shop', op: 'scan', window: '5m', at: nowMs - 118_800 })
  const { window, ...rest } = search
  expect(readRangeSearch({ window })).toEqual({ window: '5m' })
  expect(readLiveSearch(rest as Parameters<typeof readLiveSearch>[0])).toMatchObject(rest)
  expect([0, 54_000, 54_001, 299_000].map(windowOf)).toEqual(['1m', '1m', '5m', '15m'])
  expect(windowOf(Infinity)).toBe(windowNames.at(-1))
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

test('how long an operation took is among the first columns, which a narrow screen shows', () => {
  expect(operationColumns.slice(0, 3).map(({ name }) => name)).toEqual(['started', 'operation', 'took'])
})
