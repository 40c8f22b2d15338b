// The filter language of the other server, as the core's filters.
import { describe, expect, test } from 'vitest'
import { encode } from '../../src/msgpack/encode.js'
import { readFilterExpression } from '../../src/routes/v1/filters/filter-expression.js'

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
    ['a == "two\n\\\nlines"', is('a', 'eq', 'two\n\nlines')],
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

  test('256 tests are not too many', () => {
    expect(read(Array.from({ length: 256 }, () => 'a == 1').join(' and '))).toHaveProperty('and.255')
  })

  test('a text may begin as a long packed list does', () => {
    expect(read('\u0712 == 1')).toEqual(is('\u0712', 'eq', 1))
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
    `a == ${'x'.repeat(64 * 1024)}`,
    Array.from({ length: 257 }, () => 'a == 1').join(' or '),
  ])('%.30s is none', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'filter_invalid' }) as Error)
  })

  const items = (op: string, value: unknown) => ({ bin: 'l', any: 'items', op, value })
  const meta = (name: string, op: string, value: unknown, more = {}) => ({ meta: name, ...more, op, value })
  test.each([
    ['LIST_ITERATE_OR(l, ==, r)', items('eq', 'r')],
    ['LIST_ITERATE_OR(l,!=,5)', items('ne', 5)],
    ['LIST_ITERATE_OR(l, ==, "a, b)")', items('eq', 'a, b)')],
    ['LIST_ITERATE_OR(l,==,"a,  b)") and a == 1', { and: [items('eq', 'a,  b)'), is('a', 'eq', 1)] }],
    ["LIST_ITERATE_OR( l , == , '( \\'  )' )", items('eq', "( '  )")],
    ["LIST_ITERATE_OR(l, ==, it's)", items('eq', "it's")],
    ['LIST_ITERATE_AND(l, >=, 5)', { bin: 'l', all: 'items', op: 'ge', value: 5 }],
    ['MAPKEY_ITERATE_OR(m, ==, k)', { bin: 'm', any: 'keys', op: 'eq', value: 'k' }],
    ['MAPKEY_ITERATE_AND(m, <, z)', { bin: 'm', all: 'keys', op: 'lt', value: 'z' }],
    ['MAPVAL_ITERATE_OR(m, >, 1)', { bin: 'm', any: 'values', op: 'gt', value: 1 }],
    ['MAPVAL_ITERATE_AND(m, <=, 1)', { bin: 'm', all: 'values', op: 'le', value: 1 }],
    ['not LIST_ITERATE_OR(l, ==, 5)', { and: [{ bin: 'l', all: 'items', op: 'exists' }, { not: items('eq', 5) }] }],
    ['LAST_UPDATE(>=, 1577880000)', meta('updatedAt', 'ge', 1_577_880_000_000)],
    ['not LAST_UPDATE(>=, 1577880000)', meta('updatedAt', 'lt', 1_577_880_000_000)],
    ['VOID_TIME(>, 5)', meta('expiresAt', 'gt', 5000)],
    ['VOID_TIME(<, 5)', { or: [meta('expiresAt', 'lt', 5000), meta('expiresAt', 'exists', false)] }],
    ['VOID_TIME(==, -1)', { or: [meta('expiresAt', 'eq', -1), meta('expiresAt', 'exists', false)] }],
    ['VOID_TIME(!=, -1)', { or: [meta('expiresAt', 'lt', -1), meta('expiresAt', 'gt', -1)] }],
    ['DIGEST_MODULO(3, ==, 1)', meta('digest', 'eq', 1, { modulo: 3 })],
    ['a == 1 and LAST_UPDATE(<, 5)', { and: [is('a', 'eq', 1), meta('updatedAt', 'lt', 5000)] }],
  ])('%s', (text, filter) => {
    expect(read(text)).toEqual(filter)
  })

  test.each([
    'LIST_ITERATE_OR(l, ==)',
    'LIST_ITERATE_OR(l, =, 5)',
    'LIST_ITERATE_OR(l, ==, 5',
    'LIST_ITERATE_OR(l, ==, )',
    `LIST_ITERATE_OR(${' '.repeat(60_000)}`,
    'LAST_UPDATE(>, soon)',
    'LAST_UPDATE(>, 999999999999999)',
    'DIGEST_MODULO(0, ==, 1)',
    'VOID_TIME()',
  ])('%s is none', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'filter_invalid' }) as Error)
  })

  test('STRING_REGEX is not here', () => {
    const error = expect.objectContaining({ code: 'unsupported' }) as Error
    expect(() => read('not (STRING_REGEX(a, "x"))')).toThrow(error)
  })
})

describe('packed expressions', () => {
  const packed = (expression: unknown) => readFilterExpression(encode('msgpack', expression).toString('base64url'))
  const text = (value: string) => `\u0003${value}`
  const [int, str, float] = [
    [81, 2, 'n'],
    [81, 3, 's'],
    [81, 7, 'd'],
  ]
  const never = { meta: 'generation', op: 'exists', value: false }

  test.each([
    ['n == 5', [1, int, 5], is('n', 'eq', 5)],
    ['5 < n', [5, 5, int], is('n', 'gt', 5)],
    ['n != 5', [2, int, 5], { or: [is('n', 'lt', 5), is('n', 'gt', 5)] }],
    ['not n < 5', [18, [5, int, 5]], is('n', 'ge', 5)],
    ['s == x', [1, str, text('x')], is('s', 'eq', 'x')],
    ['d >= 0.5', [4, float, 0.5], is('d', 'ge', 0.5)],
    ['a boolean bin', [81, 1, 'b'], is('b', 'eq', true)],
    ['not a boolean bin', [18, [81, 1, 'b']], is('b', 'eq', false)],
    ['and', [16, [1, int, 5], [1, str, text('x')]], { and: [is('n', 'eq', 5), is('s', 'eq', 'x')] }],
    ['not or', [18, [17, [1, int, 5], [71]]], { and: [{ or: [is('n', 'lt', 5), is('n', 'gt', 5)] }, never] }],
    ['a bin exists', [2, [82, 'n'], 0], { bin: 'n', op: 'exists', value: true }],
    ['a bin is not there', [1, [82, 'n'], 0], { bin: 'n', op: 'exists', value: false }],
    ['the key exists', [71], { ...never, value: true }],
    ['a tombstone', [72], never],
    ['the set', [1, [70], text('s')], { meta: 'set', op: 'eq', value: 's' }],
    ['the key', [1, [80, 2], 7], { meta: 'key', op: 'eq', value: 7 }],
    ['the digest', [1, [64, 3], 1], { meta: 'digest', modulo: 3, op: 'eq', value: 1 }],
    ['the size', [3, [74], 100], { meta: 'size', op: 'gt', value: 100 }],
    ['the size on a device', [3, [65], 100], { meta: 'size', op: 'gt', value: 100 }],
    ['time to live', [3, [69], 60], { meta: 'ttl', op: 'gt', value: 60 }],
    [
      'never expires',
      [1, [69], -1],
      {
        or: [
          { meta: 'ttl', op: 'eq', value: -1 },
          { ...never, meta: 'ttl' },
        ],
      },
    ],
    ['last update', [3, [66], 1_500_000_000n], { meta: 'updatedAt', op: 'gt', value: 1500 }],
    ['between two milliseconds', [5, [66], 1_500_000_001n], { meta: 'updatedAt', op: 'le', value: 1500 }],
    ['before 1970', [4, [66], -1n], { meta: 'updatedAt', op: 'gt', value: -1 }],
    ['on a millisecond', [1, [66], 1n], never],
    ['time of expiry', [3, [68], 2_000_000n], { meta: 'expiresAt', op: 'gt', value: 2 }],
  ])('%s', (_, expression, filter) => {
    expect(JSON.parse(packed(expression).toString())).toEqual(filter)
  })

  test.each([16, 256])('%i terms', (length) => {
    const terms = Array.from({ length }, (_, n) => [1, int, n])
    expect(JSON.parse(packed([17, ...terms]).toString())).toEqual({ or: terms.map(([, , n]) => is('n', 'eq', n)) })
  })

  test('a list whose length takes 32 bits', () => {
    const bytes = Buffer.from([0xdd, 0, 0, 0, 1, 71])
    expect(JSON.parse(readFilterExpression(bytes.toString('base64url')).toString())).toEqual({ ...never, value: true })
  })

  test.each([
    [1e19, '10000000000000000000e0'],
    [2 ** 60, '1152921504606847000e0'],
    [1e21, '1e+21'],
    [0.5, '0.5'],
    [-3, '-3e0'],
  ])('the double %d stays one', (value, written) => {
    const bytes = Buffer.concat([encode('msgpack', [1, float, 0]).subarray(0, -1), Buffer.alloc(9, 0xcb)])
    bytes.writeDoubleBE(value, bytes.length - 8)
    const text = readFilterExpression(bytes.toString('base64url')).toString()
    expect(text).toContain(`"value":${written}}`)
    expect(JSON.parse(text)).toEqual(is('d', 'eq', value))
  })

  test('the age of a record', () => {
    const before = Date.now()
    const { value, ...rest } = JSON.parse(packed([5, [67], 1000]).toString()) as { value: number }
    expect(rest).toEqual({ meta: 'updatedAt', op: 'gt' })
    expect(value).toBeGreaterThanOrEqual(before - 1000)
    expect(value).toBeLessThanOrEqual(Date.now() - 1000)
  })

  test.each([
    [[1, int]],
    [[1, int, text('x')]],
    [[1, 5, 5]],
    [[1, str, 'x']],
    [[16]],
    [[18, [71], [71]]],
    [[]],
    [['and']],
    [[81, 2, 'n']],
    [[1, [81, 2, 3], 5]],
    [[1, [64, 0], 1]],
    [['1', int, 5]],
    [[true, int, 5]],
    [[[1], int, 5]],
    [[{ toString: 1 }, int, 5]],
    [[1, [81, '2', 'n'], 5]],
    [[1, [81, { toString: 1 }, 'n'], 5]],
    [[1, [80, [2]], 5]],
    [[16, ...Array.from({ length: 257 }, () => true)]],
    [[1, str, text('x'.repeat(64 * 1024))]],
  ])('%.60j is none', (expression) => {
    expect(() => packed(expression)).toThrow(expect.objectContaining({ code: 'filter_invalid' }) as Error)
  })

  test.each([[[7, 0, 'x', str]], [[1, [82, 'n'], 3]], [[127, 0]], [[1, [20, int, 1], 5]], [[1, [81, 4, 'l'], 5]]])(
    '%j is not here',
    (expression) => {
      expect(() => packed(expression)).toThrow(expect.objectContaining({ code: 'unsupported' }) as Error)
    },
  )
})
