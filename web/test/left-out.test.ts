import { expect, test } from 'vitest'
import { leftOutWords } from '../src/pages/query/left-out'

test('what CSV has no columns for is told in words', () => {
  expect(leftOutWords({ values: 1, bins: ['late'] })).toBe(
    '1 value had no column and is missing from the file. Bins: late. Add columns with select to include them.',
  )
  const bins = Array.from({ length: 16 }, (_, n) => `b${n}`)
  expect(leftOutWords({ values: 2000, bins })).toContain(
    '2,000 values had no column and are missing from the file. Bins: b0, ',
  )
  expect(leftOutWords({ values: 2000, bins })).toContain('b15, and possibly others.')
})
