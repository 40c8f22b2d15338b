// JavaScript's own parser keeps the last of two equal keys, rounds big integers and takes any depth; this one does not.
import { describe, expect, test } from 'vitest'
import { parseStrictJson } from '../src/json/strict.js'

const parse = (text: string, raw: string[] = []) => parseStrictJson(Buffer.from(text), raw)

describe('parseStrictJson', () => {
  test.each([
    '{}',
    '[]',
    '"a"',
    '1',
    'null',
    ' {"a":[{"b":1},{"b":2}],"c":{"a":1}} ',
    '{"a":"{\\"a\\":1,\\"a\\":2}"}',
    '{"":1," ":2}',
  ])('agrees with JSON.parse on %s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  test.each(['{"a":1,"a":1}', '{"x":{"b":1,"c":2,"b":3}}', '[{"a":1,"\\u0061":2}]', '{"a":[],"b":{},"a":"}"}'])(
    'refuses a key twice: %s',
    (text) => {
      expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'json_duplicate_key' }))
    },
  )

  test.each(['', '{', '{"a":}', '{"a":1,}', "{'a':1}", 'NaN', '{"a":Infinity}', '[1 2]', '\uFEFF{}', '{"a":1}{"b":2}'])(
    'refuses %j',
    (text) => {
      expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'json_invalid' }))
    },
  )

  test('refuses what is not UTF-8', () => {
    expect(() => parseStrictJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(
      expect.objectContaining({ code: 'utf8_invalid' }),
    )
  })

  test('takes 64 levels and refuses 65', () => {
    expect(parse(`${'['.repeat(64)}${']'.repeat(64)}`)).toBeInstanceOf(Array)
    expect(() => parse(`${'['.repeat(65)}${']'.repeat(65)}`)).toThrow(
      expect.objectContaining({ code: 'nesting_too_deep' }),
    )
    expect(() => parse('['.repeat(500_000) + ']'.repeat(500_000))).toThrow(
      expect.objectContaining({ code: 'nesting_too_deep' }),
    )
  })

  test('leaves raw members as they were written', () => {
    const text = '{"set":"s","where":{"bin":"n","op":"eq","value":9223372036854775807, "path":"where"},"limit":1}'
    const value = parse(text, ['where']) as { where: Buffer; set: string; limit: number }
    expect(value.where.toString().trim()).toBe('{"bin":"n","op":"eq","value":9223372036854775807, "path":"where"}')
    expect(value).toMatchObject({ set: 's', limit: 1 })
  })

  test.each([
    ['{"where": "a,b}" }', '"a,b}"'],
    ['{"where":[1,[2,{"x":"]"}]],"a":0}', '[1,[2,{"x":"]"}]]'],
    ['{"a":0,"where":null}', 'null'],
    ['{"a":{"where":1},"where":{"é":"\\""}}', '{"é":"\\""}'],
  ])('finds the raw member in %s', (text, raw) => {
    expect((parse(text, ['where']) as { where: Buffer }).where.toString().trim()).toBe(raw)
  })

  test('a member called __proto__ is an ordinary member', () => {
    expect(Object.keys(parse('{"__proto__":{"x":1}}') as object)).toEqual(['__proto__'])
  })

  test('members that stay raw may lie anywhere, but not inside one another', () => {
    const text = '[{"raw": {"raw": [1, "}"]} , "n": 1}, [0, {"in": {"raw":9007199254740993}}]]'
    const [first, [, { in: inside }]] = parseStrictJson(Buffer.from(text), ['raw']) as [
      { raw: Buffer; n: number },
      [number, { in: { raw: Buffer } }],
    ]
    expect([first.raw.toString().trim(), first.n, inside.raw.toString()]).toEqual([
      '{"raw": [1, "}"]}',
      1,
      '9007199254740993',
    ])
  })
})
