import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { ColumnDef } from '../../src/table/column'
import { DataTable } from '../../src/table/DataTable'
import { show } from '../forms/page'

interface Row {
  name: string
  size: number
}

const rows: Row[] = [
  { name: 'ants', size: 3 },
  { name: 'bees', size: 20 },
  { name: 'crabs', size: 1 },
]
const columns: ColumnDef<Row>[] = [
  { name: 'name', sort: ({ name }) => name, cell: ({ name }) => <a href={`#${name}`}>{name}</a> },
  { name: 'size', right: true, sort: ({ size }) => size, cell: ({ size }) => size },
]

const Listed = () => (
  <DataTable
    label="Animals"
    list="animals"
    noun={(n) => `${n} ${n === 1 ? 'animal' : 'animals'}`}
    columns={columns}
    rows={rows}
    keyOf={({ name }) => name}
  />
)

const table = () => screen.getByRole('table', { name: 'Animals' })
const names = () =>
  within(table())
    .queryAllByRole('link')
    .map(({ textContent }) => textContent)
const heads = () =>
  within(table())
    .getAllByRole('columnheader')
    .map(({ textContent }) => textContent)

beforeEach(() => localStorage.clear())

test('a head sorts the rows, says so, and the address keeps it', async () => {
  const { user, drawn } = await show(Listed)
  expect(names()).toEqual(['ants', 'bees', 'crabs'])
  await user.click(within(table()).getByRole('button', { name: 'size' }))
  await waitFor(() => expect(names()).toEqual(['bees', 'ants', 'crabs']))
  expect(screen.getByRole('columnheader', { name: 'size' }).getAttribute('aria-sort')).toBe('descending')
  expect(drawn()).toBe('/?order=-size')
  await user.click(within(table()).getByRole('button', { name: 'size' }))
  await waitFor(() => expect(names()).toEqual(['crabs', 'ants', 'bees']))
  expect(drawn()).toBe('/?order=size')
})

test('an address brings its search and its order', async () => {
  await show(Listed, '/', '/?q=s&order=-name')
  expect(names()).toEqual(['crabs', 'bees', 'ants'])
})

test('a search leaves what it finds, counts it, and can be cleared', async () => {
  const { user, drawn } = await show(Listed)
  screen.getByText('3 animals')
  await user.type(screen.getByRole('searchbox', { name: 'Search Animals' }), 'bee')
  await waitFor(() => expect(names()).toEqual(['bees']))
  expect(drawn()).toBe('/?q=bee')
  screen.getByText('1 of 3 animals')
  await user.type(screen.getByRole('searchbox', { name: 'Search Animals' }), 'x')
  await user.click(await screen.findByRole('button', { name: 'Clear the search' }))
  await waitFor(() => expect(names()).toEqual(['ants', 'bees', 'crabs']))
  expect(screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search Animals' }).value).toBe('')
})

test('columns are hidden, moved and reset, and stay so in this browser', async () => {
  const { user } = await show(Listed)
  await user.click(screen.getByRole('button', { name: /^Columns of Animals/ }))
  await user.click(await screen.findByRole('button', { name: 'Move name right' }))
  expect(heads()).toEqual(['size', 'name'])
  await user.click(screen.getByRole('checkbox', { name: 'size' }))
  expect(heads()).toEqual(['name'])
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'name' }).disabled).toBe(true)
  expect(JSON.parse(localStorage.getItem('tessera.columns.animals') ?? '')).toMatchObject({ shown: { size: false } })
  await user.click(screen.getByRole('button', { name: 'Reset columns' }))
  expect(heads()).toEqual(['name', 'size'])
  expect(localStorage.getItem('tessera.columns.animals')).toBeNull()
})

test('a kept choice is taken, and what does not fit in it is left out', async () => {
  const kept = {
    shown: { name: 'no', size: false },
    order: 7,
    widths: { name: 200, size: 'wide' },
    pinned: ['name', 1],
  }
  localStorage.setItem('tessera.columns.animals', JSON.stringify(kept))
  await show(Listed)
  expect(heads()).toEqual(['name'])
  const head = screen.getByRole('columnheader', { name: 'name' })
  expect([head.style.width, head.className]).toEqual(['200px', 'pinned'])
})

test('a column is made wider and kept at the left by keyboard', async () => {
  const { user } = await show(Listed)
  screen.getByRole('button', { name: /^Columns of Animals/ }).focus()
  await user.keyboard('{Enter}')
  const wider = await screen.findByRole('button', { name: 'Make size wider' })
  wider.focus()
  await user.keyboard('{Enter}')
  const head = screen.getByRole('columnheader', { name: 'size' })
  expect(head.style.width).toBe('48px')
  screen.getByRole('button', { name: 'Keep size at the left' }).focus()
  await user.keyboard(' ')
  expect(heads()).toEqual(['size', 'name'])
  expect(screen.getByRole('button', { name: 'Keep size at the left' }).getAttribute('aria-pressed')).toBe('true')
})

test('arrows go from row to row, and Enter opens one', async () => {
  const { user } = await show(Listed)
  screen.getByRole('region', { name: 'Table: Animals' }).focus()
  await user.keyboard('{ArrowDown}{ArrowDown}')
  expect(document.activeElement?.textContent).toBe('bees20')
  await user.keyboard('{ArrowUp}')
  expect(document.activeElement?.textContent).toBe('ants3')
  await user.keyboard('{Enter}')
  expect(location.hash).toBe('#ants')
})
