import { expect, test } from 'vitest'
import type * as StartClock from '../src/start-clock.js'

test('what brings the tree up to date before is no part of a start', async () => {
  const end = performance.now()
  performance.measure('tessera-set-up', { start: 0, end })
  // A module of its own, as a process has it.
  const path = '../src/start-clock.js?after-set-up'
  const clock = (await import(path)) as typeof StartClock
  performance.clearMeasures('tessera-set-up')
  clock.startPassed('listen')
  const { totalMs = Infinity, parts = [] } = clock.startTimes() ?? {}
  expect(totalMs).toBeLessThanOrEqual(performance.now() - end)
  expect(parts.map(({ part }) => part)).toEqual(['runtime', 'listen'])
})
