// Long answers take turns of the event loop.
import { expect, test } from 'vitest'
import { Pace, TURN_BYTES } from '../../src/overload/pace.js'

const PIECE = TURN_BYTES / 4
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('what is sent at once in a turn is bounded, and goes on in order', async () => {
  const pace = new Pace()
  const sent: number[] = []
  const waits = Array.from({ length: 10 }, (_, n) => {
    const wait = pace.take(PIECE)
    if (wait === undefined) sent.push(n)
    return wait?.then(() => sent.push(n))
  })
  expect(sent).toEqual([0, 1, 2, 3])
  await turn()
  expect(sent).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  // Who comes later is behind those that wait.
  const late = pace.take(1)?.then(() => sent.push(10))
  expect(late).toBeInstanceOf(Promise)
  await turn()
  expect(sent).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  await Promise.all([...waits, late])
})

test('a piece larger than a turn has one of its own', async () => {
  const pace = new Pace()
  expect(pace.take(3 * TURN_BYTES)).toBeUndefined()
  const next = pace.take(1)
  expect(next).toBeInstanceOf(Promise)
  await next
  expect(pace.take(1)).toBeUndefined()
})
