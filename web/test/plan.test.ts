import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import type { Index } from '../src/api/types'
import { indexChoices, withFittingIndex } from '../src/pages/query/fields/index-choices'
import { actualWords, readPlan } from '../src/pages/query/plan/plan'
import { PlanSteps } from '../src/pages/query/plan/PlanSteps'
import { compactRequest } from '../src/records/request/request'

const lookup =
  '{"node":"terms","index":"docs","on":"payload","terms":[{"path":"id","value":9007199254740993,"estimated":18446744073709551615},' +
  '{"path":"rate","value":0.10,"estimated":3},{"path":"who","value":"a\\"b","estimated":0}],"estimated":1200'
const range = '{"node":"range","index":"score","on":"score","estimated":7'
const planned = (measured: (figures: string) => string) =>
  '{"method":"indexes","indexes":["docs","score"],"segments":4,"estimatedCandidates":7,"estimatedMs":0.5,"reason":"two",' +
  `"alternatives":[{"method":"all","estimatedMs":12}],"tree":{"node":"limit","estimated":7${measured('"actual":5,"ms":1.25')},"children":[` +
  `{"node":"and","estimated":7${measured('"actual":6,"ms":0.25,"segments":3')},"children":[${lookup}},${range}${measured('"actual":6')}}]}]}` +
  `${measured('"actual":{"candidates":6,"scanned":6,"returned":5,"ms":1.25,"segments":3}')}}`
const explained = planned(() => '')
const analyzed = planned((figures) => `,${figures}`)

const rowsOf = (markup: string): string[] =>
  markup
    .split('</tr>')
    .map((row) =>
      [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)]
        .map(([, inner = '']) => inner.replaceAll(/<[^>]+>/g, ''))
        .join(' | '),
    )

describe('a plan', () => {
  test('keeps every digit of its terms and counts', () => {
    const { steps } = readPlan(explained)
    expect(steps[2]?.terms).toEqual([
      { path: 'id', value: '9007199254740993', estimated: '18,446,744,073,709,551,615' },
      { path: 'rate', value: '0.10', estimated: '3' },
      { path: 'who', value: '"a\\"b"', estimated: '0' },
    ])
  })

  test('is its steps, each before its parts', () => {
    const { steps, method, alternatives } = readPlan(explained)
    expect(steps.map(({ node, depth, parent }) => [node, depth, parent])).toEqual([
      ['limit', 0, undefined],
      ['and', 1, 'limit'],
      ['terms', 2, 'and'],
      ['range', 2, 'and'],
    ])
    expect([method, alternatives?.length, steps[2]?.index, steps[2]?.on]).toEqual(['indexes', 1, 'docs', 'payload'])
  })

  test('has what was measured, where it was', () => {
    const { steps, actual } = readPlan(analyzed)
    expect(steps.map(({ actual, ms, segments }) => [actual, ms, segments])).toEqual([
      ['5', 1.25, undefined],
      ['6', 0.25, '3'],
      [undefined, undefined, undefined],
      ['6', undefined, undefined],
    ])
    expect(actual && actualWords(actual)).toBe('5 returned · 6 scanned · 6 candidates · 3 segments · 1.25 ms')
  })

  test('shows what a list was unnested to and grouped by, where nobody knows how long it will be', () => {
    const measured = (text: string) => text.replaceAll(/"children"/g, '"actual":9,"ms":0.5,"children"')
    const text =
      '{"method":"all","segments":1,"estimatedCandidates":4,"estimatedMs":1,"reason":"","tree":' +
      '{"node":"group","on":"who","estimated":10,"children":[{"node":"unnest","on":"payload.commits as commit","children":[{"node":"all","estimated":4}]}]}}'
    const lines = (text: string, analyzed: boolean) =>
      rowsOf(renderToStaticMarkup(createElement(PlanSteps, { steps: readPlan(text).steps, analyzed }))).slice(1, 4)
    expect(lines(text, false)).toEqual([
      'group | – | who | 10 | –',
      '└ unnest of group | – | payload.commits as commit | – | –',
      '└ all of unnest | – | – | 4 | –',
    ])
    expect(lines(measured(text), true)[1]).toBe(
      '└ unnest of group | – | payload.commits as commit | – | 9 | 500 µs | – | –',
    )
  })

  test('of an engine without a tree has no steps', () => {
    const text = '{"method":"all","segments":1,"estimatedCandidates":1,"estimatedMs":1,"reason":""}'
    expect(readPlan(text).steps).toEqual([])
  })

  test('says what was read of a device', () => {
    const reads = { records: 1, blocks: 2, bytes: 2048 }
    expect(actualWords({ candidates: 1, scanned: 1000, returned: 1, ms: 20, segments: 1, reads })).toBe(
      '1 returned · 1,000 scanned · 1 candidate · 1 segment · 20.0 ms · read 1 record, 2 blocks, 2.00 KiB',
    )
  })

  test('is a table, estimates beside what came of them', () => {
    const table = (text: string, analyzed: boolean) =>
      rowsOf(renderToStaticMarkup(createElement(PlanSteps, { steps: readPlan(text).steps, analyzed })))
    expect(table(explained, false).slice(0, 3)).toEqual([
      'step | index | on | estimated | terms',
      'limit | – | – | 7 | –',
      '└ and of limit | – | – | 7 | –',
    ])
    expect(table(analyzed, true).slice(1, 3)).toEqual([
      'limit | – | – | 7 | 5 | 1.25 ms | – | –',
      '└ and of limit | – | – | 7 | 6 | 250 µs | 3 | –',
    ])
    expect(table(explained, false)[3]).toContain('id = 9007199254740993 ≈ 18,446,744,073,709,551,615')
  })
})

const index = (name: string, more: Partial<Index>): Index => ({
  name,
  namespace: 'shop',
  kind: 'document',
  state: 'ready',
  origin: 'built',
  entries: 0,
  recentEntries: 0,
  merges: { running: 0, waiting: 0 },
  terms: 0,
  bytes: 0,
  uses: 0,
  usesSince: '2026-01-31T12:00:00.250Z',
  createdAt: '2026-01-31T12:00:00.250Z',
  ...more,
})
const indexes = [
  index('all', {}),
  index('orders', { set: 'orders', bin: 'detail' }),
  index('total', { set: 'orders', bin: 'detail', path: 'total', kind: 'range' }),
  index('others', { set: 'others', bin: 'x' }),
  index('late', { state: 'building', bin: 'x' }),
]

describe('the index to use', () => {
  const labels = (set: string | undefined, chosen = 'auto') =>
    indexChoices(indexes, set, chosen)
      .slice(2)
      .map(({ label }) => label)

  test('is one that covers the set and is built', () => {
    expect(indexChoices([], 'orders', 'never').map(({ value }) => value)).toEqual(['auto', 'never'])
    expect(labels('orders')).toEqual([
      'all (document, whole record)',
      'orders (document, detail)',
      'total (range, detail · total)',
    ])
    expect(labels(undefined)).toEqual(['all (document, whole record)'])
    expect(labels('')).toEqual(['all (document, whole record)'])
  })

  test('that cannot be used is shown, and why', () => {
    expect(labels(undefined, 'orders').at(-1)).toBe('orders (covers another set)')
    expect(labels(undefined, 'late').at(-1)).toBe('late (not built yet)')
    expect(labels(undefined, 'gone').at(-1)).toBe('gone (missing)')
    expect(indexChoices(undefined, undefined, 'gone').at(-1)).toEqual({ value: 'gone', label: 'gone' })
  })

  test('goes when the set is another', () => {
    const left = (text: string) => compactRequest(withFittingIndex(text, indexes))
    expect(left('{"set":"orders","useIndex":"orders"}')).toBe('{"set":"orders","useIndex":"orders"}')
    expect(left('{"set":"others","useIndex":"orders","limit":1}')).toBe('{"set":"others","limit":1}')
    expect(left('{"useIndex":"orders"}')).toBe('{}')
    expect(left('{"useIndex":"all"}')).toBe('{"useIndex":"all"}')
    expect(left('{"useIndex":"never"}')).toBe('{"useIndex":"never"}')
    expect(left('{"useIndex":7}')).toBe('{"useIndex":7}')
  })
})
