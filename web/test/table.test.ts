import { expect, test } from 'vitest'
import type { ColumnDef } from '../src/table/column'
import { leavingOf, named, sameColumns } from '../src/table/column'
import { bounded, NARROWEST, NO_CHOICE, WIDEST, withMove, withPin, withShown } from '../src/table/column-choice'
import { foundRows } from '../src/table/row-text'
import { nextSort, sortOf, sortText } from '../src/table/sort'

const columns: ColumnDef<{ name: string; size: number }>[] = [
  { name: 'name', cell: ({ name }) => name },
  { name: 'size', low: 1, sort: ({ size }) => size, cell: () => null },
  { name: 'size', low: 2, cell: () => null },
  { name: 'rare', low: 3, off: true, cell: () => null },
]

test('two columns of one name stay apart', () => {
  expect(named(columns).map(({ id }) => id)).toEqual(['name', 'size', 'size 2', 'rare'])
})

test('without room the least important columns leave first, and what the reader chose stays', () => {
  expect(leavingOf(named(columns), NO_CHOICE)).toEqual(['size 2', 'size'])
  expect(leavingOf(named(columns), withShown(NO_CHOICE, 'size 2', true))).toEqual(['size'])
})

test('a search finds each word anywhere in the row, also in a sort key that the cell does not say', () => {
  const rows = [
    { name: 'Vault events', size: 17 },
    { name: 'Shop', size: 170 },
  ]
  const found = (asked: string): string[] => foundRows(columns, rows, asked).map(({ name }) => name)
  expect(found('')).toEqual(['Vault events', 'Shop'])
  expect(found('EVENTS vault')).toEqual(['Vault events'])
  expect(found('17')).toEqual(['Vault events', 'Shop'])
  expect(found('shop vault')).toEqual([])
})

test.each(['a', '-a', '-a-b'])('an order %s survives the address', (text) => {
  const sort = sortOf(text)
  expect(sort && sortText(sort)).toBe(text)
})

test.each([undefined, '', '-'])('%s is no order', (text) => {
  expect(sortOf(text)).toBeUndefined()
})

test('a head sorts down first, then up', () => {
  const first = nextSort(undefined, 'a')
  expect([first, nextSort(first, 'a'), nextSort(first, 'b')]).toEqual([
    { name: 'a', down: true },
    { name: 'a', down: false },
    { name: 'b', down: true },
  ])
})

test('columns move one place, and pinned ones among themselves', () => {
  const ids = ['a', 'b', 'c', 'd']
  expect(withMove(NO_CHOICE, ids, 'c', -1).order).toEqual(['a', 'c', 'b', 'd'])
  expect(withMove(NO_CHOICE, ids, 'a', -1).order).toEqual(ids)
  const pinned = withPin(withPin(NO_CHOICE, 'a', true, 80), 'b', true, 90)
  expect([pinned.pinned, pinned.widths]).toEqual([['a', 'b'], { a: 80, b: 90 }])
  expect(withMove(pinned, ids, 'b', -1).pinned).toEqual(['b', 'a'])
  expect(withMove(pinned, ids, 'd', -1).order).toEqual(['a', 'b', 'd', 'c'])
  expect(withPin(pinned, 'a', false, 80).pinned).toEqual(['b'])
})

test('a width has bounds', () => {
  expect([bounded(-5), bounded(100.4), bounded(1e9)]).toEqual([NARROWEST, 100, WIDEST])
})

test('rows look the same in columns that were made again of the same parts', () => {
  const [def] = columns
  expect(def).toBeDefined()
  const shown = (width?: number) =>
    def === undefined ? [] : [{ id: 'name', def, ...(width !== undefined && { width }) }]
  expect(sameColumns(shown(), shown())).toBe(true)
  expect(sameColumns(shown(), shown(80))).toBe(false)
  expect(sameColumns(shown(), [])).toBe(false)
})
