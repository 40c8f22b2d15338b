// @vitest-environment happy-dom
// Requests of a page that nobody touches say so.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isUntouched, watchActivity } from '../src/api/activity'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a page is untouched a minute after the last touch, and use is told every five minutes', () => {
  const tell = vi.fn()
  const stop = watchActivity(tell)
  dispatchEvent(new Event('keydown'))
  expect([isUntouched(), tell.mock.calls.length]).toEqual([false, 0])
  vi.advanceTimersByTime(61_000)
  expect(isUntouched()).toBe(true)
  vi.advanceTimersByTime(5 * 60_000)
  dispatchEvent(new Event('pointermove'))
  dispatchEvent(new Event('pointerdown'))
  expect([isUntouched(), tell.mock.calls.length]).toEqual([false, 1])
  stop()
  vi.advanceTimersByTime(6 * 60_000)
  dispatchEvent(new Event('keydown'))
  expect([isUntouched(), tell.mock.calls.length]).toEqual([true, 1])
})
