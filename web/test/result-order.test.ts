import { expect, test } from 'vitest'
import { binsOf } from '../src/records/rows/columns'
import { placesOf } from '../src/records/rows/result-order'

const rows = [
  '{"key":"ada","bins":{"n":9007199254740993,"city":"Berlin","tags":["a","b"]}}',
  '{"key":"bob","bins":{"n":9007199254740992,"city":"Bergen \\"old\\""}}',
  '{"key":"cy","bins":{"n":-0.5}}',
  '{"key":"dee","bins":{"n":"text","city":null}}',
]

const by = (name: string, down = false) => ({
  valueOf: (record: Parameters<typeof binsOf>[0]) => binsOf(record)[name],
  down,
})

test.each([
  ['', undefined],
  ['BER', [0, 1]],
  ['ber ada', [0]],
  ['"old"', [1]],
  ['["a","b"]', [0]],
  ['city', []],
  ['cy', [2]],
])('a search finds keys and values, not the names of bins: %s', (asked, places) => {
  expect(placesOf(rows, false, asked, undefined)).toEqual(places)
})

test.each([
  ['n', false, [2, 1, 0, 3]],
  ['n', true, [3, 0, 1, 2]],
  ['city', false, [3, 1, 0, 2]],
  ['city', true, [0, 1, 3, 2]],
])('an order by %s (down: %s) is exact, and rows without a value come last', (name, down, places) => {
  expect(placesOf(rows, false, '', by(name, down))).toEqual(places)
})

test('a search and an order work together, also on rows without a key', () => {
  const plain = ['{"n":1,"a":"x"}', '{"n":3,"a":"x"}', '{"n":2,"a":"y"}']
  expect(placesOf(plain, true, 'x', by('n', true))).toEqual([1, 0])
})
