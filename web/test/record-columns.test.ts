import { expect, test } from 'vitest'
import { recordColumns } from '../src/pages/records/list/record-columns'
import { testedBins } from '../src/pages/records/filter/chips'
import { type Exact, parseExact } from '../src/records/json'

const sample: Exact[] = ['a', 'b'].map((key) =>
  parseExact(`{"key":"${key}","bins":{"id":"${key}","state":"paid","total":7}}`),
)

/** The bins by how late they leave a table that becomes narrow. */
function stay(asked: readonly string[]): string[] {
  const columns = recordColumns({ sample, asked, orderedBy: () => undefined, onOpen: () => undefined })
  const bins = columns.filter(({ name }) => ['id', 'state', 'total'].includes(name))
  return bins.toSorted((a, b) => (a.low ?? 0) - (b.low ?? 0)).map(({ name }) => name)
}

test('a bin that repeats the key leaves a narrow table before the others', () => {
  expect(stay([])).toEqual(['state', 'total', 'id'])
})

test('the bins of the filter and of the order stay longest', () => {
  const where = '{"and":[{"bin":"total","op":"gt","value":5},{"bin":"id","op":"exists"}]}'
  expect(stay(testedBins(where))).toEqual(['id', 'total', 'state'])
  expect(stay(['total'])).toEqual(['total', 'state', 'id'])
})

test('a filter that the fields cannot show has no bins', () => {
  expect(testedBins('{"or":[{"bin":"a","op":"exists"},{"bin":"b","op":"exists"}]}')).toEqual([])
  expect(testedBins('no JSON')).toEqual([])
})
