// Small rules that all routes share.
import { describe, expect, test } from 'vitest'
import { accepts } from '../src/requests/accept.js'
import { durationMs, waitMs } from '../src/requests/duration.js'
import { readKey } from '../src/requests/key.js'
import { pageOf } from '../src/requests/page.js'

describe('accepts', () => {
  test.each([
    ['application/json', true],
    ['*/*', true],
    ['application/*', true],
    ['text/html, application/xhtml+xml, */*;q=0.8', true],
    ['text/html', false],
    ['application/json;q=0', false],
    ['text/plain;q=1, application/JSON;q=0.1', true],
    ['', true],
    [' ', true],
  ])('%s: %s', (accept, expected) => {
    expect(accepts(accept, ['application/json'])).toBe(expected)
  })
})

describe('pageOf', () => {
  const items = ['a', 'b', 'c', 'd', 'e']
  const page = (limit?: number, cursor?: string) =>
    pageOf(items, { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) }, (item) => item)

  test('one page holds all that fits', () => {
    expect(page()).toEqual({ items, truncated: false, limit: 500 })
    expect(page(5)).toEqual({ items, truncated: false, limit: 5 })
  })

  test('the cursor goes on after the last item, whatever came or went before it', () => {
    const first = page(2)
    expect(first).toMatchObject({ items: ['a', 'b'], truncated: true, limit: 2 })
    expect(
      pageOf(
        ['b', 'bb', 'c'],
        { limit: 5, ...(first.cursor !== undefined && { cursor: first.cursor }) },
        (item) => item,
      ),
    ).toMatchObject({
      items: ['bb', 'c'],
    })
  })

  test('the cursor goes on if the last items of its page are gone, and has a length that a request may have', () => {
    const names = Array.from({ length: 50 }, (_, n) => `${n}-`.padEnd(63, 'x'))
    const { cursor = '' } = pageOf(names, { limit: 20 }, (name) => name)
    expect(cursor.length).toBeLessThanOrEqual(512)
    const left = names.filter((_, n) => n < 16 || n > 19)
    expect(pageOf(left, { limit: 1, cursor }, (name) => name).items).toEqual([names[20]])
  })

  test('a cursor of another list is refused', () => {
    expect(() => page(2, 'enp6')).toThrow(expect.objectContaining({ code: 'cursor_invalid' }))
  })
})

test('durations', () => {
  expect(['500ms', '2s', '5m', '1h'].map((text) => durationMs(text))).toEqual([500, 2000, 300_000, 3_600_000])
  expect(waitMs('9h')).toBe(60_000)
})

describe('keys', () => {
  test('are read by type', () => {
    expect(readKey('a/b', 'string')).toEqual({ type: 'string', value: 'a/b' })
    expect(readKey('-9223372036854775808', 'integer')).toEqual({ type: 'integer', value: -(2n ** 63n) })
    expect(readKey('_-8', 'bytes')).toEqual({ type: 'bytes', value: Buffer.from([0xff, 0xef]) })
    expect(readKey('00'.repeat(20), 'digest').value).toHaveLength(20)
    expect(readKey(Buffer.alloc(20, 1).toString('base64url'), 'digest').value).toHaveLength(20)
  })

  test.each([
    ['1e3', 'integer'],
    ['+1', 'integer'],
    ['', 'integer'],
    ['a', 'bytes'],
    ['a b', 'bytes'],
    ['00'.repeat(19), 'digest'],
  ] as const)('%j is no %s', (text, type) => {
    expect(() => readKey(text, type)).toThrow(expect.objectContaining({ code: 'key_invalid' }))
  })
})
