// The filter language of the other server, as the core's filters.
import { describe, expect, test } from 'vitest'
import { readFilterExpression } from '../src/routes/v1/filter-expression.js'

const read = (text: string): unknown =>
  JSON.parse(readFilterExpression(Buffer.from(text).toString('base64url')).toString())

const is = (bin: string, op: string, value: unknown) => ({ bin, op, value })

describe('filterexp', () => {
  test.each([
    ['a == 1', is('a', 'eq', 1)],
    ['a >= -5', is('a', 'ge', -5)],
    ['a == text', is('a', 'eq', 'text')],
    ['a == "two words"', is('a', 'eq', 'two words')],
    ["a == 'two words'", is('a', 'eq', 'two words')],
    ['\u00e9t\u00e9 == 1', is('\u00e9t\u00e9', 'eq', 1)],
    ['a == 1.5', is('a', 'eq', '1.5')],
    ['a == "1"', is('a', 'eq', '1')],
    ['a == 99999999999999999999', is('a', 'eq', '99999999999999999999')],
    ['a != 1', { or: [is('a', 'lt', 1), is('a', 'gt', 1)] }],
    ['not (a != 1)', is('a', 'eq', 1)],
    ['not not a < 1', is('a', 'lt', 1)],
    ['a < 1 and b > 2 and c == x', { and: [is('a', 'lt', 1), is('b', 'gt', 2), is('c', 'eq', 'x')] }],
    ['not (a < 1 or (b > 2 and c <= 3))', { and: [is('a', 'ge', 1), { or: [is('b', 'le', 2), is('c', 'gt', 3)] }] }],
  ])('%s', (text, filter) => {
    expect(read(text)).toEqual(filter)
  })

  test('numbers keep their 64 bits', () => {
    const filter = readFilterExpression(Buffer.from('a == 9223372036854775807').toString('base64url'))
    expect(filter.toString()).toContain('9223372036854775807')
  })

  test.each([
    '',
    'a',
    'a ==',
    '== 1',
    'a = 1',
    'a == 1 b == 2',
    'a == 1 and',
    'a == 1 and b == 2 or c == 3',
    '(a == 1',
    'a == 1)',
    'a == (',
    'JUMP(a)',
    'not',
    `${'('.repeat(10_000)}a == 1`,
    'not '.repeat(10_000),
  ])('%.30s is none', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'filter_invalid' }) as Error)
  })

  test.each(['LAST_UPDATE(>, 1)', 'not (STRING_REGEX(a, "x"))'])('%s is not here', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'unsupported' }) as Error)
  })

  test('a packed expression is not here', () => {
    const packed = Buffer.from([0x93, 1, 2, 3]).toString('base64url')
    expect(() => readFilterExpression(packed)).toThrow(expect.objectContaining({ code: 'unsupported' }) as Error)
  })
})
