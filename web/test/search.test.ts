import { expect, test } from 'vitest'
import { readRecordsSearch } from '../src/pages/records/search'
import { parseSearch, stringifySearch, textOf } from '../src/search'

test.each(['9007199254740993', '-9223372036854775808', '1.0', '1e3', '0.10', '42', '-7', 'user:42', 'true story'])(
  'a link to the key %s, written by hand or by the console, opens that key',
  (key) => {
    const opened = (address: string): string | undefined =>
      readRecordsSearch(parseSearch(address) as Parameters<typeof readRecordsSearch>[0]).key
    expect(opened(`?ns=shop&set=events&key=${key}&keytype=integer`)).toBe(key)
    expect(opened(stringifySearch({ key }))).toBe(key)
  },
)

test('numbers that are exact are numbers, and JSON is read', () => {
  expect(parseSearch('?n=42&on=true&filter={"bin":"n"}')).toEqual({ n: 42, on: true, filter: { bin: 'n' } })
  expect(['', 0, undefined, {}].map(textOf)).toEqual([undefined, '0', undefined, undefined])
})
