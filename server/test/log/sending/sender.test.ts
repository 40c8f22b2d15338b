// Lines that wait for a collector: how many, in which order, and what becomes of them if it is slow, away, or refuses.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Batch, LogSender, Refused, type Send } from '../../../src/log/sending/sender.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function sending(send: Send) {
  const reports: (string | undefined)[] = []
  const sender = new LogSender({
    open: () => Promise.resolve(send),
    report: (failure) => void reports.push(failure?.message),
  })
  return { sender, reports }
}

const textsOf = (batches: Batch[]): string[] => batches.flat().map(({ text }) => text)

test('lines go in batches, entries of the audit log first', async () => {
  const batches: Batch[] = []
  const { sender, reports } = sending(async (batch) => void batches.push(batch))
  sender.add('log', 'a')
  sender.add('audit', 'b')
  expect(sender.figures()).toEqual({ sent: 0, dropped: 0, waiting: 2 })
  await vi.advanceTimersByTimeAsync(1000)
  expect(textsOf(batches)).toEqual(['b', 'a'])
  for (let n = 0; n < 1200; n += 1) sender.add('log', String(n))
  await vi.advanceTimersByTimeAsync(1000)
  expect(batches.map((batch) => batch.length)).toEqual([2, 512, 512, 176])
  expect([sender.figures(), reports]).toEqual([{ sent: 1202, dropped: 0, waiting: 0 }, []])
})

test('a batch has a bounded length', async () => {
  const batches: Batch[] = []
  const { sender } = sending(async (batch) => void batches.push(batch))
  for (let n = 0; n < 4; n += 1) sender.add('log', 'x'.repeat(600 * 1024))
  await vi.advanceTimersByTimeAsync(1000)
  expect(batches.map((batch) => batch.length)).toEqual([1, 1, 1, 1])
})

test('while a collector is slow, lines beyond those that wait are dropped, and none of the audit log for them', async () => {
  const batches: Batch[] = []
  let answer = (): void => undefined
  const { sender } = sending((batch) => {
    batches.push(batch)
    return new Promise((resolve) => (answer = resolve))
  })
  sender.add('log', 'first')
  await vi.advanceTimersByTimeAsync(1000)
  for (let n = 0; n < 10_000; n += 1) sender.add('log', String(n))
  sender.add('audit', 'entry')
  expect(sender.figures()).toEqual({ sent: 0, dropped: 10_001 - 8192, waiting: 8193 })
  answer()
  await vi.advanceTimersByTimeAsync(1)
  expect(batches[1]?.[0]).toEqual({ kind: 'audit', text: 'entry' })
})

test('lines have a bounded length together', () => {
  const { sender } = sending(() => Promise.resolve())
  for (let n = 0; n < 9; n += 1) sender.add('log', 'x'.repeat(1024 * 1024))
  expect(sender.figures()).toMatchObject({ dropped: 1, waiting: 8 })
})

test('a collector that is away is told once, and gets all that waits when it is back', async () => {
  const batches: Batch[] = []
  let isAway = true
  const { sender, reports } = sending(async (batch) => {
    if (isAway) throw new Error('away')
    batches.push(batch)
  })
  sender.add('log', 'a')
  await vi.advanceTimersByTimeAsync(1000)
  sender.add('audit', 'b')
  await vi.advanceTimersByTimeAsync(20_000)
  expect([sender.figures(), reports]).toEqual([{ sent: 0, dropped: 0, waiting: 2 }, ['away']])
  isAway = false
  await vi.advanceTimersByTimeAsync(5000)
  expect(textsOf(batches)).toEqual(['b', 'a'])
  expect(reports).toEqual(['away', undefined])
})

test('a batch that is refused is dropped, and the next one goes', async () => {
  const batches: Batch[] = []
  const { sender, reports } = sending(async (batch) => {
    if (batch.some(({ text }) => text === 'bad')) throw new Refused('no')
    batches.push(batch)
  })
  sender.add('log', 'bad')
  await vi.advanceTimersByTimeAsync(1000)
  sender.add('log', 'good')
  await vi.advanceTimersByTimeAsync(6000)
  expect(textsOf(batches)).toEqual(['good'])
  expect([sender.figures(), reports]).toEqual([{ sent: 1, dropped: 1, waiting: 0 }, ['no', undefined]])
})

test('at the end what waits is sent, and a collector that does not answer holds nobody up', async () => {
  const batches: Batch[] = []
  const { sender } = sending(async (batch) => void batches.push(batch))
  sender.add('audit', 'stop')
  await sender.close(2000)
  expect(textsOf(batches)).toEqual(['stop'])
  const { sender: other } = sending(() => new Promise(() => undefined))
  other.add('audit', 'stop')
  const closed = other.close(2000)
  await vi.advanceTimersByTimeAsync(2000)
  await closed
  expect(other.figures()).toMatchObject({ sent: 0, dropped: 1 })
  other.add('log', 'late')
  expect(other.figures()).toMatchObject({ dropped: 2 })
})
