import { expect, test } from 'vitest'
import { english, say, toldIn } from '../src/sentences/sentence.js'

test.each([
  ['there is no job "{id}"', { id: 'a' }, 'there is no job "a"'],
  ['{n, plural, one {# record} other {# records}}', { n: 1 }, '1 record'],
  ['{n, plural, one {# record} other {# records}}', { n: 1_234_567 }, '1,234,567 records'],
  ['at most {most, number} bytes, of {most}', { most: 65_536 }, 'at most 65,536 bytes, of 65536'],
  [
    '{value}, above {limit}',
    { value: { amount: 31.4, unit: 'ms' }, limit: { amount: 1536, unit: 'bytes' } },
    '31.4 ms, above 1.5 KiB',
  ],
  ['{why}; {how}', { why: say('there is no filter'), how: 'so' }, 'there is no filter; so'],
  ['since {since}', { since: { time: '2026-01-31T12:00:00Z' } }, 'since 2026-01-31T12:00:00Z'],
  ['no {name} here', { name: '{name} # {' }, 'no {name} # { here'],
  ['no {other} here #', { name: 'a' }, 'no {other} here #'],
] as const)('%s is said in English', (message, values, text) => {
  expect(english(say(message, values))).toBe(text)
})

test('a sentence without values is its own message', () => {
  expect(toldIn(say('there is no filter'))).toEqual({ text: 'there is no filter' })
  expect(toldIn(say('no {name}', { name: 'a' }))).toEqual({
    text: 'no a',
    said: { message: 'no {name}', values: { name: 'a' } },
  })
})
