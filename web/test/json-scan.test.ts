import { describe, expect, test } from 'vitest'
import { faultOf, laidOut, membersOf, placeOf } from '../src/records/json-scan'
import { parseExact, printExact } from '../src/records/json'
import { dice } from './dice'

describe('faults', () => {
  test.each([
    ['{"a": 1,}', 8, 'Expected a name in double quotes, got }'],
    ['{"a"', 4, 'Expected a colon after the name, but the text ends'],
    ['[1 2]', 3, 'Expected a comma or ], got 2'],
    ['{"a": 01}', 7, 'Expected a comma or }, got 1'],
    ['{"a": tru}', 6, 'Expected a value, got t'],
    ['', 0, 'Expected a value, but the text ends'],
    ['{"a":1} x', 8, 'Expected the end, got x'],
    ['{"a":1,"a":2}', 7, 'The name "a" is here twice'],
    ['["x\ny"]', 3, 'A line break or control character in a string is written with a backslash'],
    [String.raw`["\x"]`, 2, 'After a backslash comes one of " \\ / b f n r t, or u and four hex digits'],
    [String.raw`["\u12"]`, 2, 'After a backslash comes one of " \\ / b f n r t, or u and four hex digits'],
    ['["x', 1, 'This string has no closing quote'],
    ['[1,]', 3, 'Expected a value, got ]'],
    ['[😀]', 1, 'Expected a value, got 😀'],
    ['[[[', 3, 'Expected a value, but the text ends'],
  ])('of %s is at %d: %s', (text, at, message) => {
    expect(faultOf(text)).toEqual({ at, message })
  })

  test('are none in a list that is nested deeper than a stack is', () => {
    expect(faultOf('['.repeat(100_000) + ']'.repeat(100_000))).toBeUndefined()
  })

  test('are where the native parser finds one, too', () => {
    const roll = dice(7)
    const good = '{"a":[1,-2.5e3,{"b":"x\\"y\\u00e9"}],"c":{},"d":[],"e":null,"f":true}'
    const marks = '{}[],:"\\ 0-.etx\n'
    const verdicts = Array.from({ length: 5000 }, () => {
      const at = Math.floor(roll() * good.length)
      const text = good.slice(0, at) + (marks[Math.floor(roll() * marks.length)] ?? '') + good.slice(at + 1)
      const fault = faultOf(text)
      // The native one takes a name twice.
      return { text, found: fault !== undefined && !fault.message.endsWith('is here twice'), native: !parses(text) }
    })
    expect(verdicts.filter(({ found, native }) => found !== native)).toEqual([])
    expect(new Set(verdicts.map(({ found }) => found)).size).toBe(2)
  })
})

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('a place is told by line and column', () => {
  expect([placeOf('ab', 1), placeOf('a\nbc', 2), placeOf('a\n\nb', 3), placeOf('', 0)]).toEqual([
    { line: 1, column: 2 },
    { line: 2, column: 1 },
    { line: 3, column: 1 },
    { line: 1, column: 1 },
  ])
})

test('what is laid out says the same, with every digit', () => {
  const text = ' { "n" : 9223372036854775807, "l":[1.50, {}, [ ], {"x":"a: {,\\""}], "s":"", "z":null } '
  expect(laidOut(text, 2)).toBe(printExact(parseExact(text), 2))
  expect(laidOut(text, 0)).toBe(printExact(parseExact(text)))
  expect([laidOut('1', 2), laidOut('[]', 2), laidOut('"x"', 0)]).toEqual(['1', '[]', '"x"'])
})

test('members are told with their values as text', () => {
  expect(membersOf(' {"a": [1, {"b":2}] , "c\\"d":-1.0,"e":"}","f":{}} ')).toEqual([
    ['a', '[1, {"b":2}]'],
    ['c"d', '-1.0'],
    ['e', '"}"'],
    ['f', '{}'],
  ])
  expect([membersOf('{}'), membersOf('[1]'), membersOf('3')]).toEqual([[], undefined, undefined])
})
