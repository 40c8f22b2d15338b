import { describe, expect, test } from 'vitest'
import { aggregateText, bucketsOf, emptyAggregate, figuresOf } from '../src/records/request/aggregate'
import { binsText, fieldsOf, problemOf } from '../src/records/bins'
import { requestBody } from '../src/records/body'
import { writeCall } from '../src/records/client'
import { type FilterRow, rowProblem } from '../src/records/request/filter'
import { fitsInt64, parseExact, printExact } from '../src/records/json'
import { binColumns } from '../src/records/rows/columns'
import { keyOf, recordPath, recordsPath } from '../src/records/key'
import { routeOf, routeText } from '../src/records/request/request-fields'
import {
  emptyGroup,
  nodeProblem,
  readWhere,
  type WhereGroup,
  type WhereNode,
  whereText,
} from '../src/records/request/where'
import { emptyScan, type ScanForm, scanBody, scanProblems } from '../src/pages/scans/scan-form'

const bins =
  '{"id":9223372036854775807,"low":-9223372036854775808,"score":1.0,"tiny":1e-7,"name":"Ada","raw":{"$bytes":"AQI="},"none":null,"yes":true,"tree":{"n":[12345678901234567890,1.50]}}'

describe('numbers', () => {
  test('of 64 bits survive reading and printing', () => {
    expect(printExact(parseExact(bins))).toBe(bins)
  })

  test('survive the form too', () => {
    expect(binsText(fieldsOf(parseExact(bins)))).toBe(bins)
  })

  test('an edited double stays a double', () => {
    expect(binsText([{ name: 'score', type: 'double', text: '2' }])).toBe('{"score":2.0}')
  })

  test('integers of more than 64 bits are refused', () => {
    expect(fitsInt64('9223372036854775807')).toBe(true)
    expect(fitsInt64('9223372036854775808')).toBe(false)
    expect(fitsInt64('-9223372036854775808')).toBe(true)
    expect(fitsInt64('1.0')).toBe(false)
  })
})

describe('bins', () => {
  const problem = (type: 'integer' | 'double' | 'bytes' | 'json', text: string) => {
    const field = { name: 'a', type, text }
    return problemOf(field, [field])
  }

  test('know what cannot be saved', () => {
    expect(problem('integer', '12')).toBeUndefined()
    expect(problem('integer', '1e3')).toBeDefined()
    expect(problem('double', '1.5e10')).toBeUndefined()
    expect(problem('double', 'NaN')).toBeDefined()
    expect(problem('bytes', 'AQI=')).toBeUndefined()
    expect(problem('bytes', 'AQI')).toBeDefined()
    expect(problem('json', '{"a":[1]}')).toBeUndefined()
    expect(problem('json', '{"a":')).toBeDefined()
  })

  test('have a name each, once', () => {
    const twice = [
      { name: 'a', type: 'string', text: '' },
      { name: 'a', type: 'string', text: '' },
    ] as const
    expect(problemOf(twice[0], twice)).toBeDefined()
    expect(problemOf({ name: 'ä'.repeat(128), type: 'string', text: '' }, [])).toBeDefined()
  })
})

describe('keys', () => {
  test('of every type lead to their record', () => {
    const path = (record: string) => {
      const key = keyOf(parseExact(record))
      return key && recordPath('a', 'b c', key)
    }
    expect(path('{"key":"x/y"}')).toBe('/api/v1/namespaces/a/sets/b%20c/records/x%2Fy')
    expect(path('{"key":9223372036854775807}')).toBe(
      '/api/v1/namespaces/a/sets/b%20c/records/9223372036854775807?keytype=integer',
    )
    expect(path('{"key":{"bytes":"+/8="}}')).toBe('/api/v1/namespaces/a/sets/b%20c/records/-_8?keytype=bytes')
    expect(path('{"digest":"00ff"}')).toBe('/api/v1/namespaces/a/sets/b%20c/records/00ff?keytype=digest')
  })
})

describe('filters', () => {
  const row = (part: Partial<FilterRow>): FilterRow => ({ bin: 'a', path: '', op: 'eq', value: '', ...part })
  const all = (...nodes: WhereNode[]): WhereGroup => ({ ...emptyGroup, nodes })

  test('rows and text say the same, both ways', () => {
    const rows = [
      row({ op: 'contains', value: '{"commits":[{"author":{"email":"test@gmail.com"}}]}' }),
      row({ bin: 'repo_id', op: 'in', value: '[17330407,9223372036854775807]' }),
      row({ bin: 'type', value: 'PushEvent' }),
      row({ bin: 'text', value: '"42"' }),
      row({ bin: 'payload', path: 'push.size', op: 'ge', value: '2' }),
      row({ bin: 'ref', op: 'exists' }),
      row({ bin: 'empty', value: '""' }),
    ]
    const tests = all(...rows.map((one): WhereNode => ({ kind: 'test', row: one })))
    expect(readWhere(whereText(tests) ?? '')).toEqual(tests)
    const first = all(...tests.nodes.slice(0, 1))
    expect(readWhere(whereText(first) ?? '')).toEqual(first)
  })

  test.each([
    '{"or":[{"bin":"a","op":"eq","value":9007199254740993},{"bin":"b","op":"exists"}]}',
    '{"and":[{"not":{"bin":"a","op":"exists"}},{"or":[{"bin":"b","op":"lt","value":1.50},{"not":{"and":[{"bin":"c","op":"exists"},{"bin":"d","op":"exists"}]}}]}]}',
    '{"not":{"not":{"bin":"a","op":"exists"}}}',
    '{"bin":"list","op":"eq","value":1,"any":"items"}',
    '{"bin":"a","op":"exists","value":false}',
    '{"bin":"a","op":"eq"}',
    '{"bin":"a","op":"eq","value":""}',
    '{"bin":"a","path":"b","op":"contains","value":{"c":1}}',
    '{"meta":"size","path":"a","op":"gt","value":1}',
    '{"or":[{"bin":"a","path":["b.c"],"op":"eq","value":1},{"meta":"digest","modulo":2,"op":"eq","value":1}]}',
  ])('groups, and what is no row, come back as they were: %s', (text) => {
    expect(whereText(readWhere(text) as WhereGroup)).toBe(text)
  })

  test('what says nothing yet is left out', () => {
    const nothing: WhereNode = { kind: 'test', row: row({ bin: '' }) }
    expect(whereText(all(nothing, { ...emptyGroup, not: true, nodes: [nothing] }))).toBe('')
    expect(readWhere('{"bin":')).toBeUndefined()
    expect(readWhere('')).toEqual(emptyGroup)
  })

  test('that something does not exist is no row, and that it does is one', () => {
    const kinds = (where: string) => readWhere(where)?.nodes.map(({ kind }) => kind)
    expect(kinds('{"bin":"a","op":"exists","value":false}')).toEqual(['json'])
    expect(kinds('{"bin":"a","op":"exists","value":true}')).toEqual(['test'])
    expect(kinds('{"op":"exists","bin":"a"}')).toEqual(['test'])
  })

  test('no part is left out: while one cannot be sent, there is no text', () => {
    const asked: WhereNode = { kind: 'test', row: row({ value: '1' }) }
    const wrong: WhereNode[] = [
      { kind: 'json', text: '{"bin":' },
      { kind: 'json', text: '' },
      { kind: 'json', text: '5' },
      { kind: 'test', row: row({ value: '' }) },
      { kind: 'test', row: row({ bin: '', value: '1' }) },
      { kind: 'test', row: row({ bin: '', path: 'a' }) },
    ]
    for (const node of wrong) {
      expect(nodeProblem(node)).toBeDefined()
      expect(whereText(all(asked, node))).toBeUndefined()
      expect(whereText(all(asked, { ...emptyGroup, not: true, nodes: [node] }))).toBeUndefined()
    }
    expect(whereText(all(asked))).toBe('{"bin":"a","op":"eq","value":1}')
  })

  test('know what cannot be asked', () => {
    expect(rowProblem(row({ op: 'contains', value: '5' }))).toBeDefined()
    expect(rowProblem(row({ op: 'in', value: '5' }))).toBeDefined()
    expect(rowProblem(row({ op: 'prefix', value: '5' }))).toBeDefined()
    expect(rowProblem(row({ bin: '' }))).toBeDefined()
    expect(rowProblem(row({ op: 'exists' }))).toBeUndefined()
  })

  test('reach the request untouched', () => {
    const body = requestBody(
      { set: 'a"b', limit: 5, select: undefined },
      { route: '', where: '{"bin":"n","op":"eq","value":9223372036854775807}' },
    )
    expect(body).toBe('{"set":"a\\"b","limit":5,"where":{"bin":"n","op":"eq","value":9223372036854775807}}')
  })
})

describe('the route of a query', () => {
  test.each([
    ['7', '7'],
    [' -9223372036854775808 ', '-9223372036854775808'],
    ['9223372036854775807', '9223372036854775807'],
    ['1.50', '1.50'],
    ['true', 'true'],
    ['"7"', '"7"'],
    ['007', '"007"'],
    ['north', '"north"'],
    ['a "b"', '"a \\"b\\""'],
    ['[7]', '"[7]"'],
    ['{"a":1}', '"{\\"a\\":1}"'],
  ])('%s is sent as %s', (typed, sent) => {
    expect(routeText(typed)).toBe(sent)
    expect(routeText(routeOf(sent) ?? '')).toBe(sent)
  })

  test('of nothing is none, and a list is no route of the form', () => {
    expect(routeText(' ')).toBe('')
    expect(routeOf('')).toBe('')
    expect(routeOf('[7]')).toBeUndefined()
  })
})

describe('columns of a table of records', () => {
  const records = ['{"bins":{"a":1,"b":1}}', '{"bins":{"c":1,"b":2}}', '{"bins":{}}', '{}'].map((text) =>
    parseExact(text),
  )

  test('are the bins that most records have, in the order met', () => {
    expect(binColumns(records, 2)).toEqual({ names: ['a', 'b'], hidden: 1 })
    expect(binColumns(records, 1)).toEqual({ names: ['b'], hidden: 2 })
    expect(binColumns(records, 9)).toEqual({ names: ['a', 'b', 'c'], hidden: 0 })
  })
})

describe('the call that writes a record', () => {
  const call = (options: Parameters<typeof writeCall>[4]) =>
    writeCall('ns', 'users', { text: '7', type: 'integer' }, '{}', options)

  test('has its condition and its expiry', () => {
    expect(call({ etag: '"3"', ttlSeconds: -2 })).toEqual({
      method: 'PUT',
      path: '/api/v1/namespaces/ns/sets/users/records/7?keytype=integer&ttlSeconds=-2',
      headers: { 'Content-Type': 'application/json', 'If-Match': '"3"' },
      body: '{}',
    })
    expect(call({ etag: '"3"', create: true }).headers).toEqual({
      'Content-Type': 'application/json',
      'If-None-Match': '*',
    })
  })
})

test('records without a set have a path of their own', () => {
  expect(recordsPath('ns', '')).toBe('/api/v1/namespaces/ns/records')
  expect(recordPath('ns', '', { text: 'a/b', type: 'string' })).toBe('/api/v1/namespaces/ns/records/a%2Fb')
  expect(recordsPath('ns', 'users')).toBe('/api/v1/namespaces/ns/sets/users/records')
})

describe('figures', () => {
  test('buckets are a width, bounds, or so many between two', () => {
    expect(bucketsOf('100')).toEqual({ width: 100 })
    expect(bucketsOf('0, 2.5 -10')).toEqual({ bounds: [0, 2.5, -10] })
    expect(bucketsOf('-5..1000/20')).toEqual({ buckets: 20, min: -5, max: 1000 })
    for (const text of ['', 'a', '1..2', '1..2/0.5', '1,,']) expect(bucketsOf(text)).toBeUndefined()
  })

  test('each has a name of its own, and metadata where it is meant', () => {
    const row = { op: 'sum', bin: 'price', buckets: '' } as const
    expect(aggregateText([])).toBe('')
    expect(
      JSON.parse(aggregateText([row, row, { op: 'histogram', bin: '@size', buckets: '10' }, emptyAggregate])),
    ).toEqual({
      'sum price': { op: 'sum', bin: 'price' },
      'sum price 2': { op: 'sum', bin: 'price' },
      'histogram size': { op: 'histogram', meta: 'size', width: 10 },
      count: { op: 'count' },
    })
  })

  test('integers keep every digit', () => {
    const [sum, none] =
      figuresOf(
        '{"aggregate":{"s":{"value":27670116110564327421,"exact":"27670116110564327421","numbers":3},"m":{"value":null}}}',
      ) ?? []
    expect([sum?.value, none?.value]).toEqual(['27670116110564327421', '–'])
    expect(figuresOf('{"set":"a"}')).toBeUndefined()
  })

  test('a filter of metadata is a row, and the digest is not', () => {
    const text = '{"meta":"size","op":"gt","value":100}'
    const size = readWhere(text) as WhereGroup
    expect(size.nodes).toEqual([{ kind: 'test', row: { bin: '@size', path: '', op: 'gt', value: '100' } }])
    expect(whereText(size)).toBe(text)
    const kinds = (where: string) => readWhere(where)?.nodes.map(({ kind }) => kind)
    expect(kinds('{"meta":"digest","modulo":2,"op":"eq","value":1}')).toEqual(['json'])
    expect(kinds('{"bin":"@size","op":"exists"}')).toEqual(['json'])
  })
})

test('the form of a scan asks for a part, or for figures without pages', () => {
  const body = (form: Partial<ScanForm>) =>
    JSON.parse(scanBody('s', { ...emptyScan, ...form }, 2)) as Record<string, unknown>
  expect(body({ sample: 'share', part: '7', seed: '3' })).toMatchObject({
    limit: 1000,
    sample: { share: 0.07, seed: 3 },
  })
  expect(body({ sample: 'first', part: '50' })).not.toHaveProperty('limit')
  expect(body({ aggregates: [emptyAggregate] })).toEqual({
    set: 's',
    threads: 2,
    useIndex: 'auto',
    aggregate: { count: { op: 'count' } },
  })
  expect(Object.keys(scanProblems({ ...emptyScan, sample: 'share', part: '101' }))).toEqual(['part'])
  expect(Object.keys(scanProblems({ ...emptyScan, aggregates: [{ op: 'sum', bin: '', buckets: '' }] }))).toEqual([
    'aggregates',
  ])
})
