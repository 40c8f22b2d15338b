import { describe, expect, test } from 'vitest'
import { dryRunPart, DRY_RUN_BYTES, sampleOf } from '../src/pages/import/mapping/sample'
import { valuesOf } from '../src/pages/import/mapping/msgpack'
import { printExact } from '../src/records/json'

const bytes = (...parts: (number | string | number[])[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)))

const read = (value: Uint8Array) => valuesOf(value).values.map((found) => printExact(found))

describe('values of MessagePack', () => {
  test.each([
    [bytes(0xcf, 0x7f, [255, 255, 255, 255, 255, 255, 255]), '9223372036854775807'],
    [bytes(0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0), '-9223372036854775808'],
    [bytes(0xd0, 0xdf), '-33'],
    [bytes(0xd1, 0xff, 0), '-256'],
    [bytes(0xce, 0xff, 0xff, 0xff, 0xff), '4294967295'],
    [bytes(0xe0), '-32'],
    [bytes(0xcb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0), '1.0'],
    [bytes(0xca, 0x3f, 0, 0, 0), '0.5'],
    [bytes(0xcb, 0x7e, 0x37, 0xe4, 0x3c, 0x88, 0, 0x75, 0x9c), '1e+300'],
    [bytes(0xcb, 0x80, 0, 0, 0, 0, 0, 0, 0), '-0.0'],
    [bytes(0xc4, 2, 0, 255), '{"$bytes":"AP8="}'],
    [bytes(0xd4, 5, 0), '{"$bytes":"AA=="}'],
    [bytes(0xd9, 2, 'é'), '"é"'],
    [bytes(0x93, 0xc0, 0xc2, 0xc3), '[null,false,true]'],
    [bytes(0xdc, 0, 1, 0x80), '[{}]'],
    [bytes(0xde, 0, 1, 0xa1, 'a', 0xdd, 0, 0, 0, 0), '{"a":[]}'],
  ])('are shown exactly: %j', (value, json) => {
    expect(read(value)).toEqual([json])
    expect(valuesOf(value).end).toBe(value.length)
  })

  test('end where one is cut off or none begins, however long it says that it is', () => {
    const whole = bytes(0x81, 0xa1, 'a', 1)
    for (const rest of [
      [],
      [0x81],
      [0xc1],
      [0xdd, 255, 255, 255, 255],
      [0xdb, 255, 255, 255, 255],
      Array(100).fill(0x91),
    ]) {
      expect(valuesOf(bytes([...whole], [...whole], rest))).toMatchObject({ end: 8, values: [{}, {}] })
    }
  })
})

describe('a file of MessagePack', () => {
  const row = bytes(0x82, 0xa3, 'key', 0xa1, 'k', 0xa1, 'n', 0x07)

  test.each(['people', 'people.msgpack', 'people.mp'])('is recognised and shown: %s', async (name) => {
    const sample = await sampleOf(new File([row, row, row.subarray(0, 4)], name))
    expect(sample).toEqual({
      format: 'msgpack',
      compression: 'identity',
      columns: ['key', 'n'],
      rows: [
        ['k', '7'],
        ['k', '7'],
      ],
    })
  })

  test('is tried with whole values', async () => {
    const file = new File(Array(Math.ceil(DRY_RUN_BYTES / row.length) + 10).fill(row), 'people.msgpack')
    const part = await dryRunPart(file, await sampleOf(file))
    expect(part.size % row.length).toBe(0)
    expect(DRY_RUN_BYTES - part.size).toBeLessThan(row.length)
  })
})
