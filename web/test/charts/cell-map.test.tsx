import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ComponentProps } from 'react'
import { expect, test, vi } from 'vitest'
import { CellMap, type PaintCell } from '../../src/charts/CellMap'
import { sized } from './canvas'

const paint = vi.fn<PaintCell>()
const wordsOf = (cell: number): string => `Block ${cell}: 3 records`

/** 10 cells in rows of four, with 16 pixels from one to the next. */
const map = (part: Partial<ComponentProps<typeof CellMap>> = {}) => (
  <CellMap label="Blocks" cells={10} whole="10 blocks, 2 free" wordsOf={wordsOf} paint={paint} height={100} {...part} />
)

function open(part: Partial<ComponentProps<typeof CellMap>> = {}) {
  paint.mockClear()
  sized(64, 100)
  const { rerender } = render(map(part))
  return { rerender, user: userEvent.setup() }
}

const slider = (): HTMLElement => screen.getByRole('slider', { name: 'Blocks; 10 blocks, 2 free' })
const aria = (name: string): string | null => slider().getAttribute(`aria-${name}`)
const said = (): (string | null)[] => [aria('valuenow'), aria('valuetext')]
const below = (): string | null => screen.getByText(/^(Block|10 blocks)/).textContent

test('every cell is drawn, in rows that fit the width', () => {
  open()
  const boxes = new Map(paint.mock.calls.map(([, { left, top }, cell]) => [cell, [left, top]]))
  expect(boxes.size).toBe(10)
  expect([boxes.get(0), boxes.get(3), boxes.get(4), boxes.get(9)]).toEqual([
    [0, 0],
    [48, 0],
    [0, 16],
    [16, 32],
  ])
})

test('says the whole, and with the focus the cell', async () => {
  const { user } = open()
  expect([aria('valuemin'), aria('valuemax')]).toEqual(['1', '10'])
  expect(below()).toBe('10 blocks, 2 free.')
  await user.tab()
  expect(below()).toBe('Block 0: 3 records')
  expect(said()).toEqual(['1', 'Block 0: 3 records'])
  await user.tab()
  expect(below()).toBe('10 blocks, 2 free.')
})

test.each([
  ['{ArrowRight}', '2'],
  ['{ArrowDown}', '5'],
  ['{ArrowDown}{ArrowDown}{ArrowDown}', '9'],
  ['{ArrowLeft}', '1'],
  ['{ArrowUp}', '1'],
  ['{End}', '10'],
  ['{End}{ArrowUp}{ArrowRight}', '7'],
  ['{End}{Home}', '1'],
])('%s leads to cell %s', async (keys, cell) => {
  const { user } = open()
  await user.tab()
  await user.keyboard(keys)
  expect(said()).toEqual([cell, wordsOf(Number(cell) - 1)])
})

test('Enter, Space and a click open a cell; where nothing opens they do nothing', async () => {
  const onOpen = vi.fn<(cell: number) => void>()
  const { user, rerender } = open({ onOpen })
  await user.tab()
  await user.keyboard('{ArrowRight}{Enter}{ArrowRight} ')
  fireEvent.click(slider(), { offsetX: 20, offsetY: 40 })
  // Beside the last cell.
  fireEvent.click(slider(), { offsetX: 50, offsetY: 40 })
  expect(onOpen.mock.calls).toEqual([[1], [2], [9]])
  rerender(map())
  await user.keyboard('{Enter}')
  expect(onOpen).toHaveBeenCalledTimes(3)
})

test('the pointer describes the cell under it, until it leaves', () => {
  open()
  fireEvent.pointerMove(slider(), { offsetX: 20, offsetY: 20 })
  expect([below(), ...said()]).toEqual(['Block 5: 3 records', '6', 'Block 5: 3 records'])
  fireEvent.pointerMove(slider(), { offsetX: 60, offsetY: 60 })
  expect(below()).toBe('10 blocks, 2 free.')
  fireEvent.pointerMove(slider(), { offsetX: 20, offsetY: 20 })
  fireEvent.pointerLeave(slider())
  expect(below()).toBe('10 blocks, 2 free.')
})

test('the arrow keys go on from a cell that was opened elsewhere', async () => {
  const { user, rerender } = open()
  rerender(map({ opened: 6 }))
  await user.tab()
  expect(said()).toEqual(['7', 'Block 6: 3 records'])
  await user.keyboard('{ArrowLeft}')
  expect(said()).toEqual(['6', 'Block 5: 3 records'])
  rerender(map({ opened: undefined }))
  expect(said()).toEqual(['6', 'Block 5: 3 records'])
})

test('a map that became smaller describes its last cell', () => {
  const { rerender } = open({ opened: 9 })
  expect(said()).toEqual(['10', 'Block 9: 3 records'])
  rerender(map({ cells: 4, opened: 9 }))
  expect([aria('valuemax'), ...said()]).toEqual(['4', '4', 'Block 3: 3 records'])
})
