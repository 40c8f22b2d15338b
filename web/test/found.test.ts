import { expect, test } from 'vitest'
import { AnswerParts } from '../src/records/answer-parts'
import { foundBody, isPlain } from '../src/records/found'
import { isExactObject, parseExact, printExact } from '../src/records/json'
import { chipsOf, chipsText, chipText, searchChip, withChip } from '../src/pages/records/filter/chips'
import { chipHint, hintOf, isLarge } from '../src/pages/records/filter/hint'
import { keysOf } from '../src/pages/records/find/find'
import { wantedIndex } from '../src/pages/records/filter/wanted-index'
import { type Plan, readPlan } from '../src/pages/query/plan/plan'
import { askedIn, askedSearch } from '../src/pages/records/search'

const answer =
  '{"records":[{"key":1,"bins":{"a":"}]\\"[{","b":[[1],{"c":{}}]}},{"error":{"code":"record_damaged"}},{"key":9007199254740993}],' +
  '"jobId":"j1","summary":{"returned":3,"cursor":"AB","reads":{"records":[1]}}}'

test.each([1, 2, 7, 1000])('an answer in pieces of %s characters is taken apart as it comes', (size) => {
  const parts = new AnswerParts()
  const records: string[] = []
  for (let at = 0; at < answer.length; at += size) records.push(...parts.push(answer.slice(at, at + size)))
  const whole = parseExact(answer)
  expect(records.map(parseExact)).toEqual(isExactObject(whole) && whole['records'])
  const end = parts.end()
  expect(
    isExactObject(end) && [...Object.keys(end), isExactObject(end['summary']) && end['summary']['cursor']],
  ).toEqual(['jobId', 'summary', 'AB'])
})

test('an answer without records has its end, and one that was cut off has none', () => {
  const empty = new AnswerParts()
  expect(empty.push('{"records":[],"jobId":"j","summary":{"returned":0}}')).toEqual([])
  expect(printExact(empty.end())).toBe('{"jobId":"j","summary":{"returned":0}}')
  const cut = new AnswerParts()
  expect(cut.push('{"records":[{"key":1},{"ke')).toEqual(['{"key":1}'])
  expect(() => cut.end()).toThrow(/./)
})

test('the request of a list has its filter and order as they are, and a plain list needs none', () => {
  const asked = { where: '{"bin":"n","op":"eq","value":9007199254740993}', by: '@size', desc: true }
  expect(foundBody('events', asked, 200, 'AB')).toBe(
    '{"set":"events","limit":200,"cursor":"AB","where":{"bin":"n","op":"eq","value":9007199254740993},"order":{"meta":"size","desc":true}}',
  )
  expect([isPlain(asked), isPlain({ where: '', by: undefined, desc: false })]).toEqual([false, true])
  expect(askedIn(askedSearch(asked))).toEqual(asked)
})

const where =
  '{"and":[{"bin":"kind","op":"eq","value":"push"},{"bin":"n","op":"between","value":[1,9007199254740993]},{"or":[{"bin":"a","op":"eq","value":"x"},{"bin":"b","op":"eq","value":"x"}]}]}'

test('chips and filter say the same, both ways', () => {
  const chips = chipsOf(where)
  expect(chips.map(chipText)).toEqual(['kind is push', 'n is between [1,9007199254740993]', '2 bins searched for x'])
  expect(chipsText(chips)).toBe(where)
  expect(chipsText(withChip(chips, 1, undefined))).toBe(
    '{"and":[{"bin":"kind","op":"eq","value":"push"},{"or":[{"bin":"a","op":"eq","value":"x"},{"bin":"b","op":"eq","value":"x"}]}]}',
  )
  expect(chipsText(withChip([], undefined, chips[0]))).toBe('{"bin":"kind","op":"eq","value":"push"}')
  expect(chipsText([])).toBe('')
})

test.each([
  '{"or":[{"bin":"a","op":"eq","value":1},{"bin":"b","op":"gt","value":2}]}',
  '{"not":{"bin":"a","op":"eq","value":1}}',
  '{"expr":{"mul":["price","count"]},"op":"gt","value":3}',
])('a filter that no row shows is one chip, and stays as it is: %s', (text) => {
  const chips = chipsOf(text)
  expect([chips.length, chipsText(chips)]).toEqual([1, text])
  expect(chips.map(chipText)).not.toEqual([''])
})

test('a value is searched in the bins that have values of its kind', () => {
  const sample = [{ bins: { name: 'ada', age: 36, flags: [1], on: true } }].map((record) =>
    parseExact(JSON.stringify(record)),
  )
  const names = ['name', 'age', 'flags', 'on']
  const found = (text: string): string => {
    const chip = searchChip(sample, names, text)
    return chip === undefined ? '' : chipsText([chip])
  }
  expect(found('42')).toBe('{"or":[{"bin":"name","op":"eq","value":"42"},{"bin":"age","op":"eq","value":42}]}')
  expect(found('true')).toBe('{"or":[{"bin":"name","op":"eq","value":"true"},{"bin":"on","op":"eq","value":true}]}')
  expect(found('bob')).toBe('{"bin":"name","op":"eq","value":"bob"}')
  expect(searchChip(sample, ['flags'], 'bob')).toBeUndefined()
})

const indexed = readPlan(
  '{"method":"indexes","indexes":["repo","payload"],"estimatedCandidates":188,"estimatedMs":0.4,"reason":"","tree":{"node":"filter","estimated":1,"children":[{"node":"range","index":"repo","on":"repo_id","estimated":1},{"node":"terms","index":"payload","on":"payload","terms":[{"path":"size","value":3,"estimated":1}],"estimated":1}]}}',
)
const scan = readPlan(
  '{"method":"set-column","estimatedCandidates":1000000,"estimatedMs":250,"reason":"","alternatives":[{"method":"set-column","estimatedMs":250}],"tree":{"node":"set-column","on":"push","estimated":1000000}}',
)

test('a chip says which index finds its records, or how many are checked', () => {
  const [repo, size, kind] = chipsOf(
    '{"and":[{"bin":"repo_id","op":"lt","value":7},{"bin":"payload","path":"size","op":"eq","value":3},{"bin":"kind","op":"eq","value":"x"}]}',
  )
  const texts = [repo, size, kind].map((chip) => chip && chipHint(chip, indexed).text)
  expect(texts).toEqual(['uses index repo', 'uses index payload', 'checks 188'])
  expect(repo && chipHint(repo, scan)).toEqual({ tone: 'warn', text: 'checks 1,000,000' })
})

test.each([
  ['{"bin":"kind","op":"eq","value":"push"}', { bin: 'kind', kind: 'range' }],
  ['{"bin":"payload","path":"size","op":"gt","value":3}', { bin: 'payload', kind: 'range', path: 'size' }],
  ['{"bin":"payload","path":"commits[*].author","op":"eq","value":"ada"}', { bin: 'payload', kind: 'document' }],
  ['{"bin":"payload","path":"commits[*].size","op":"gt","value":3}', undefined],
  ['{"bin":"payload","op":"contains","value":{"size":3}}', { bin: 'payload', kind: 'document' }],
  ['{"and":[{"bin":"n","op":"gt","value":3},{"bin":"kind","op":"eq","value":"x"}]}', { bin: 'kind', kind: 'range' }],
  ['{"bin":"kind","op":"ne","value":"push"}', undefined],
  ['{"meta":"size","op":"gt","value":100}', undefined],
])('the filter %s would use the index %j', (where, index) => {
  expect(wantedIndex({ where, by: undefined, desc: false })).toEqual(index)
})

test('a list without a filter would use an index of its order, if that is of a bin', () => {
  const of = (by: string) => wantedIndex({ where: '', by, desc: true })
  expect([of('n'), of('@size')]).toEqual([{ bin: 'n', kind: 'range' }, undefined])
})

test('a plan says what a list costs before it runs', () => {
  expect(hintOf(indexed).text).toBe('Uses the indexes repo, payload: checks 188 records.')
  expect(hintOf(scan)).toEqual({
    tone: 'warn',
    text: 'No index helps. Scans 1,000,000 records in about 250 ms.',
  })
  const beside = (ways: object[] | undefined) => hintOf({ ...scan, alternatives: ways } as Plan)
  expect([
    beside([{ method: 'range-index', index: 'kinds', estimatedMs: 900 }]),
    beside([{ method: 'indexes', estimatedMs: 900 }]),
    beside(undefined),
  ]).toEqual([
    {
      tone: 'plain',
      text: 'A scan costs less than the index kinds. Scans 1,000,000 records in about 250 ms.',
    },
    { tone: 'plain', text: 'A scan costs less than the indexes. Scans 1,000,000 records in about 250 ms.' },
    { tone: 'plain', text: 'Scans 1,000,000 records in about 250 ms.' },
  ])
  expect([isLarge(scan), isLarge({ ...scan, estimatedMs: 60_000 })]).toEqual([false, true])
})

test.each([
  ['user:42', ['string']],
  ['42', ['integer', 'string']],
  ['99999999999999999999', ['string', 'bytes']],
  ['007D1116cb628faa34b5585928fa1a280fe9e630', ['digest', 'string', 'bytes']],
])('the text %s may be the key of these types: %j', (text, types) => {
  expect(keysOf(text).map(({ type }) => type)).toEqual(types)
})
