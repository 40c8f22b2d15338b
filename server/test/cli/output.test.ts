// What people read is aligned, and obeys nothing that a server sends.
import { expect, test } from 'vitest'
import { grantOf } from '../../src/cli/commands/access.js'
import { failureOf } from '../../src/cli/failure.js'
import { pairs, printable, table } from '../../src/cli/output.js'

test('a table is aligned, with units', () => {
  const rows = [
    { name: 'a', bytes: 2048, inner: { list: ['x', 'y'] } },
    { name: 'longer', bytes: 12 },
  ]
  const columns = [
    ['NAME', 'name'],
    ['BYTES', 'bytes'],
    ['LIST', 'inner.list'],
  ] as const
  expect(table(rows, columns)).toBe('NAME    BYTES    LIST\na       2.0 KiB  x, y\nlonger  12 B     -\n')
})

test('an object is its values, one a line', () => {
  expect(pairs({ a: { b: 1, gone: undefined }, list: [{ c: 1 }], none: [], off: null })).toBe(
    'a.b   1\nlist  [{"c":1}]\nnone  -\noff   -\n',
  )
})

test('a terminal gets no characters that it would obey', () => {
  expect(printable('a\u001b[31mb\u0007\r\nc\u009b')).toBe('a [31mb   c ')
  expect(pairs({ name: 'a\u001b]0;x' })).toBe('name  a ]0;x\n')
})

test.each([
  [404, '{"code":"record_not_found","detail":"no","field":"key"}', 'record_not_found', 'no (key)', 5],
  [502, '<html>', 'http_502', 'the server answered with status 502', 1],
  [503, 'null', 'http_503', 'the server answered with status 503', 7],
])('an answer with %i is told: %s', (status, text, code, message, exit) => {
  expect(failureOf(status, text)).toMatchObject({ code, message, exit })
})

test('grants are typed as words', () => {
  expect(grantOf('writer@shop/eu-', grantOf('reader'))).toEqual([
    { role: 'reader' },
    { role: 'writer', namespace: 'shop', setPrefix: 'eu-' },
  ])
  expect(() => grantOf('reader@')).toThrow('a grant must be such as')
})
