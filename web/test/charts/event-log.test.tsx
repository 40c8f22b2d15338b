import { beforeEach, expect, test, vi } from 'vitest'
import { EventLog } from '../../src/live/event-log'
import type { Mark } from '../../src/live/frame'

const mark = (timeMs: number, text: string, part: Partial<Mark> = {}): Mark => ({
  timeMs,
  kind: 'config',
  text,
  ...part,
})
const all = { from: 0, to: 1000 }
let log: EventLog
const texts = (namespace?: string, range = all): string[] => log.within(range, namespace).map(({ text }) => text)

beforeEach(() => {
  history.replaceState(null, '', '#')
  log = new EventLog()
})

test('an event that the stream and a history tell is there once', () => {
  log.note([mark(5, 'b')])
  const { version } = log
  log.note([mark(5, 'b')])
  expect(log.version).toBe(version)
  log.note([mark(1, 'a'), mark(5, 'b'), mark(9, 'c')])
  expect(texts()).toEqual(['a', 'b', 'c'])
})

test('a namespace has its own events and those of the server', () => {
  log.note([
    mark(1, 'of shop', { namespace: 'shop' }),
    mark(2, 'of ledger', { namespace: 'ledger' }),
    mark(3, 'of all'),
  ])
  expect(texts('shop')).toEqual(['of shop', 'of all'])
  expect(texts()).toEqual(['of shop', 'of ledger', 'of all'])
})

test('a span has the events from its begin to before its end', () => {
  log.note([1, 2, 3, 4].map((time) => mark(time, `${time}`)))
  expect(texts(undefined, { from: 2, to: 4 })).toEqual(['2', '3'])
  expect(texts(undefined, { from: 5, to: 9 })).toEqual([])
})

test('frames draw by themselves what they bring; what others bring, new kinds and switches are told', () => {
  const told = vi.fn<() => void>()
  log.subscribe(told)
  log.note([mark(1, 'a')])
  expect([log.kinds, told.mock.calls.length]).toEqual([['config'], 1])
  log.note([mark(2, 'b')])
  expect(told).toHaveBeenCalledTimes(1)
  log.add([mark(3, 'c')])
  expect(told).toHaveBeenCalledTimes(2)
  log.add([mark(3, 'c')])
  expect(told).toHaveBeenCalledTimes(2)
  log.hide(['config'])
  expect([texts(), told.mock.calls.length]).toEqual([[], 3])
})

test('what the address switches off is off when a chart shows events', () => {
  history.replaceState(null, '', '#events.hide=job-start')
  log.note([mark(1, 'scan', { kind: 'job-start' }), mark(2, 'set')])
  log.want()
  expect([texts(), log.hidden, log.isWanted]).toEqual([['set'], ['job-start'], true])
})

test('it keeps the newest, and forgets all for the next reader', () => {
  log.note(Array.from({ length: 10_050 }, (_, time) => mark(time, `${time}`)))
  const kept = log.within({ from: 0, to: 20_000 }, undefined)
  expect([kept.length, kept[0]?.text]).toEqual([10_000, '50'])
  log.note([mark(10, '10')])
  log.forget()
  expect([texts(), log.kinds]).toEqual([[], []])
})
