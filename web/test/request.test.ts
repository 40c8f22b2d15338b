import { describe, expect, test } from 'vitest'
import { aggregateRowsOf, aggregateText } from '../src/records/request/aggregate'
import { figureWords } from '../src/records/figure-words'
import { askedOf, groupsOf } from '../src/records/request/groups'
import {
  compactRequest,
  fitsAddress,
  keptMembers,
  memberText,
  prettyRequest,
  readRequest,
  type Request,
  withMember,
} from '../src/records/request/request'
import {
  columnsOf,
  columnsText,
  groupOf,
  groupText,
  indexUseOf,
  indexUseText,
  limitText,
  orderOf,
  orderText,
  unnestOf,
  unnestText,
} from '../src/records/request/request-fields'
import { treeLines } from '../src/records/rows/tree'

const nothing = { by: [], order: undefined }

const whole =
  '{"set":"events","where":{"bin":"id","op":"eq","value":9223372036854775807},"select":["event_id",{"bin":"actor","path":"login","as":"who"}],' +
  '"unnest":{"bin":"payload","path":"commits","as":"commit"},"order":{"meta":"updatedAt","desc":true},"sample":{"share":0.10},"useIndex":"never","limit":100}'

test('the index to use is a word or a name, and auto is not said', () => {
  expect(['', '"auto"', '"never"', '"docs"', '7', '""'].map(indexUseOf)).toEqual([
    'auto',
    'auto',
    'never',
    'docs',
    undefined,
    undefined,
  ])
  expect(['auto', 'never', 'docs'].map(indexUseText)).toEqual(['', '"never"', '"docs"'])
})

describe('a request', () => {
  test('keeps every digit and the order of its members', () => {
    expect(compactRequest(prettyRequest(whole))).toBe(whole)
  })

  test('changes in one member only', () => {
    const request = readRequest(whole) as Request
    expect(compactRequest(withMember(request, 'limit', '5'))).toBe(whole.replace('"limit":100', '"limit":5'))
    expect(compactRequest(withMember(request, 'set', ''))).toBe(whole.replace('"set":"events",', ''))
    expect(compactRequest(withMember(request, 'route', '9007199254740993'))).toBe(
      whole.replace(/\}$/, ',"route":9007199254740993}'),
    )
    expect(memberText(request, 'sample')).toBe('{"share":0.10}')
    expect(memberText(request, 'route')).toBe('')
  })

  test('says what the form cannot show', () => {
    const kept = (text: string) => keptMembers(readRequest(text) as Request)
    expect(kept(whole)).toEqual(['sample'])
    expect(kept('{"useIndex":true}')).toEqual(['useIndex'])
    expect(kept('{"set":7,"select":[],"limit":1.5,"route":[1],"explain":"analyze"}')).toEqual([
      'set',
      'select',
      'limit',
      'route',
      'explain',
    ])
    expect(kept('{"select":[{"bin":"a","path":["b.c"]}],"aggregate":{"mine":{"op":"count"}}}')).toEqual([
      'select',
      'aggregate',
    ])
    expect(kept('{"toString":1,"where":{"or":[]}}')).toEqual(['toString'])
  })

  test('is an object', () => {
    expect(['', '{', '[]', '7', '{"a":1,"a":2}'].map(readRequest)).toEqual(Array(5).fill(undefined))
  })

  test('fits into an address or not', () => {
    expect(fitsAddress(whole)).toBe(true)
    expect(fitsAddress(`{"where":"${'x'.repeat(9000)}"}`)).toBe(false)
  })
})

describe('members as fields', () => {
  test.each([
    ['["a","b"]', columnsOf, columnsText],
    ['["a",{"bin":"p","path":"a.b","as":"c"},{"bin":"p","as":"d"}]', columnsOf, columnsText],
    ['{"bin":"payload","path":"commits","as":"commit"}', unnestOf, unnestText],
    ['{"bin":"price","path":"net"}', orderOf, orderText],
    ['{"meta":"size","desc":true}', orderOf, orderText],
    [
      '{"by":[{"bin":"actor","path":"login","as":"who"},{"meta":"set"}],"top":10,"order":"sum price","desc":false}',
      groupOf,
      groupText,
    ],
  ] as const)('%s comes back as it was', (text, read, write) => {
    const value = (read as (text: string) => unknown)(text)
    expect(value).toBeDefined()
    expect((write as (value: unknown) => string)(value)).toBe(text)
  })

  test('what a field would lose is not for it', () => {
    expect(columnsOf('["a",{"bin":"b","cast":"int"}]')).toBeUndefined()
    expect(unnestOf('{"bin":"b","outer":true}')).toBeUndefined()
    expect(orderOf('{"bin":"b","desc":false}')).toBeUndefined()
    expect(groupOf('{"by":[{"bin":"b"}],"having":1}')).toBeUndefined()
    expect(groupOf('{"by":"b"}')).toBeUndefined()
  })

  test('only digits are a limit', () => {
    expect(['12x', '007', '', '-5', '1e3'].map(limitText)).toEqual(['12', '7', '', '5', '13'])
  })

  test('aggregates come back as rows unless they are named otherwise', () => {
    const text = aggregateText([
      { op: 'count', bin: '', buckets: '' },
      { op: 'sum', bin: 'price', buckets: '' },
      { op: 'histogram', bin: '@size', buckets: '0..1000/20' },
      { op: 'histogram', bin: 'n', buckets: '0 10 100' },
    ])
    expect(aggregateText(aggregateRowsOf(text) ?? [])).toBe(text)
    expect(aggregateRowsOf('{"total":{"op":"sum","bin":"price"}}')).toBeUndefined()
    expect(aggregateRowsOf('{"sum price":{"op":"sum","bin":"price","path":"net"}}')).toBeUndefined()
  })
})

describe('the tree', () => {
  const rows = ['{"key":1,"bins":{"n":9223372036854775807,"list":[{"a":null},"x"],"none":[]}}', '{"key":2}', 'not JSON']
  const shown = (open: string[]) =>
    treeLines(rows, new Set(open)).map(({ level, name, text, open: isOpen }) => [level, name, text, isOpen])

  test('parses only what is open, and keeps every digit', () => {
    expect(shown([])).toEqual([
      [1, '1', rows[0], false],
      [1, '2', rows[1], false],
      [1, '3', rows[2], false],
    ])
    expect(shown(['0', '0/1', '0/1/1']).slice(0, 8)).toEqual([
      [1, '1', '', true],
      [2, 'key', '1', undefined],
      [2, 'bins', '', true],
      [3, 'n', '9223372036854775807', undefined],
      [3, 'list', '', true],
      [4, '0', '{1}', false],
      [4, '1', '"x"', undefined],
      [3, 'none', '[]', undefined],
    ])
  })

  test('says where a line stands', () => {
    const line = treeLines(rows, new Set(['0', '0/1'])).find(({ name }) => name === 'list')
    expect(line).toMatchObject({ id: '0/1/1', parent: '0/1', place: 2, places: 3, kind: 'list' })
  })
})

test('what is asked of groups is read from the request', () => {
  const by = (items: string) => askedOf(`{"group":{"by":[${items}]}}`).by
  expect(by('"a",{"bin":"b"},{"bin":"c","path":"d.e"},{"bin":"c","path":"f","as":"g"}')).toEqual(['a', 'b', 'e', 'g'])
  expect(by('{"bin":"c","path":"d[0]"},{"bin":"c","path":["d",0]},{"meta":"size"}')).toEqual([])
  expect(['{"group":{"by":["who"]}}', '{', '{"group":7}'].map((text) => askedOf(text).order)).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('groups are a table, with every digit and a share of the greatest', () => {
  const lines = [
    '{"by":{"who":"ann","n":9007199254740993},"aggregate":{"records":{"value":8},"sum":{"value":9.2e18,"exact":"9223372036854775807"}}}',
    '{"by":{"who":"bob"},"aggregate":{"records":{"value":2},"sum":{"value":null}}}',
  ]
  expect(groupsOf(lines, nothing)).toEqual({
    by: ['who', 'n'],
    figures: ['records', 'sum'],
    drawn: 'records',
    rows: [
      { by: { who: 'ann', n: '9007199254740993' }, figures: { records: '8', sum: '9223372036854775807' }, share: 1 },
      { by: { who: 'bob' }, figures: { records: '2', sum: '–' }, share: 0.25 },
    ],
  })
  expect(groupsOf(lines, askedOf('{"group":{"by":["who",{"bin":"a","path":"b.c"}],"order":"sum"}}'))).toMatchObject({
    by: ['who', 'c', 'n'],
    drawn: 'sum',
    rows: [{ share: 1 }, { share: 0 }],
  })
  expect(groupsOf(lines, { by: [], order: 'another' })?.drawn).toBe('records')
  expect(groupsOf(['{"key":1,"bins":{}}'], nothing)).toBeUndefined()
  expect(groupsOf([], nothing)).toBeUndefined()
})

test('a part of the form that names no bin yet is not left out of what it is part of', () => {
  const unnamed = { bin: '', path: 'a.b', as: '' }
  const named = { bin: 'a', path: '', as: '' }
  expect(columnsText([named, unnamed])).toBeUndefined()
  expect(unnestText(unnamed)).toBeUndefined()
  // Its items have no name yet, and the gateway would refuse them.
  expect(unnestText(named)).toBeUndefined()
  expect(orderText({ bin: '', path: 'a.b', desc: false })).toBeUndefined()
  expect(groupText({ by: [named, unnamed], top: '', order: '', rising: false })).toBeUndefined()
  expect(columnsText([named, { bin: '', path: '', as: '' }])).toBe('["a"]')
})

test.each([
  ['9223372036854775807', '9,223,372,036,854,775,807'],
  ['-1200', '-1,200'],
  ['1479.4038561076604', '1,479.4'],
  ['16004476.776720761', '16,004,477'],
  ['0.3333333333333333', '0.333333'],
  ['1.5e300', '1.5e300'],
  ['2e-9', '2e-9'],
  ['–', '–'],
])('the figure %s reads %s', (text, words) => expect(figureWords(text)).toBe(words))
