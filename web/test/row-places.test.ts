import { expect, test } from 'vitest'
import { firstRowOf, segmentOf } from '../src/pages/records/list/row-places'

const places = { segments: 256, records: 1_000_000 }

test.each([
  [1, 0],
  [500_001, 128],
  [1_000_000, 255],
  [9_000_000, 255],
])('row %s is in segment %s', (row, segment) => {
  expect(segmentOf(row, places)).toBe(segment)
})

test('the first row of each segment is in it', () => {
  const wrong = Array.from({ length: 256 }, (_, segment) => segment).filter(
    (segment) => Math.abs(segmentOf(firstRowOf(segment, places) + 1, places) - segment) > 0,
  )
  expect(wrong).toEqual([])
  expect(firstRowOf(0, places)).toBe(1)
})
