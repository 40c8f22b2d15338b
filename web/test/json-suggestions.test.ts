import { readFileSync } from 'node:fs'
import { json } from '@codemirror/lang-json'
import { EditorState } from '@codemirror/state'
import { expect, test } from 'vitest'
import { spotOf } from '../src/editor/completion'
import { namesAt, valuesAt } from '../src/editor/suggestions'

const api: unknown = JSON.parse(readFileSync(new URL('../../server/openapi.json', import.meta.url), 'utf8'))
const bins = ['kind', 'total']
const query = { body: { operation: 'query' }, bins }
const labels = (all: { label: string }[]): string[] => all.map(({ label }) => label)

/** Where the cursor is, at the mark `|`. */
function spot(marked: string) {
  const at = marked.indexOf('|')
  const doc = marked.replace('|', '')
  const found = spotOf(EditorState.create({ doc, extensions: [json()] }), at)
  return found && [found.kind, found.path.join('/'), doc.slice(found.from, found.to)]
}

test.each([
  ['{"wh|"}', ['name', '', '"wh"']],
  ['{"where": {"o|"}}', ['name', 'where', '"o"']],
  ['{"where": {"op": "e|"}}', ['value', 'where/op', '"e"']],
  ['{"select": ["k|"]}', ['value', 'select/*', '"k"']],
  ['{"where": {"and": [{"bin": "|"}]}}', ['value', 'where/and/*/bin', '""']],
  ['{|}', ['name', '', '']],
  ['{"a": 1, |}', ['name', '', '']],
  ['|', undefined],
])('the cursor in %s is in its place', (marked, place) => {
  expect(spot(marked)).toEqual(place)
})

test('members of a request come from the API, with what they are', () => {
  expect(labels(namesAt(api, query, []))).toEqual(expect.arrayContaining(['set', 'where', 'select', 'limit']))
  expect(namesAt(api, query, []).find(({ label }) => label === 'limit')?.about).toBe('Most records or rows.')
  expect(valuesAt(api, query, ['explain']).map(({ text }) => text)).toEqual(['true', 'false', '"analyze"'])
})

test('a filter has its members, operators and the bins of the page, at any depth', () => {
  const path = ['where', 'and', '*']
  expect(labels(namesAt(api, query, path))).toEqual(expect.arrayContaining(['bin', 'op', 'value', 'or']))
  expect(labels(valuesAt(api, query, [...path, 'op']))).toContain('between')
  expect(labels(valuesAt(api, query, [...path, 'bin']))).toEqual(bins)
  expect(labels(valuesAt(api, query, [...path, 'meta']))).toContain('updatedAt')
  const where = { body: { operation: 'query', member: 'where' }, bins }
  expect(labels(namesAt(api, where, []))).toEqual(labels(namesAt(api, query, ['where'])))
})

test('figures have operators of their own', () => {
  expect(labels(namesAt(api, query, ['aggregate', 'total']))).toContain('op')
  expect(labels(valuesAt(api, query, ['aggregate', 'total', 'op']))).toContain('sum')
})

test('bins of a record are those that the page knows, without a word from the API', () => {
  expect(labels(namesAt(undefined, { bins }, []))).toEqual(bins)
  expect([namesAt(undefined, { bins }, ['kind']), valuesAt(undefined, { bins }, ['kind'])]).toEqual([[], []])
  expect(labels(namesAt(undefined, query, ['where']))).toContain('bin')
})
