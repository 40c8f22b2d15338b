import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { boundsWords, editedNumber, isWithin, numberText, plainNumber, THREADS } from '../../src/ui/number'
import { NumberField } from '../../src/ui/NumberField'

function Page({ start = '', decimal = false }: { start?: string; decimal?: boolean }) {
  const [value, setValue] = useState(start)
  const bounds = decimal ? { min: 0.1, max: 9.5, decimal } : THREADS
  return (
    <>
      <NumberField label="Threads" {...bounds} value={value} onChange={setValue} />
      <output>{value}</output>
    </>
  )
}

const field = (): HTMLElement => screen.getByRole('textbox', { name: 'Threads' })
const told = (): string | null => screen.getByRole('status').textContent

test('arrows step and stop at the bounds, Home and End go to them', async () => {
  render(<Page start="2" />)
  await userEvent.click(field())
  await userEvent.keyboard('{ArrowUp}{ArrowUp}{ArrowDown}')
  expect(told()).toBe('3')
  await userEvent.keyboard('{End}{ArrowUp}')
  expect(told()).toBe('128')
  await userEvent.keyboard('{Home}{ArrowDown}')
  expect(told()).toBe('1')
  await userEvent.click(screen.getByRole('button', { name: 'More' }))
  expect(told()).toBe('2')
})

test('what is out of bounds stays as typed, and the field says its bounds', async () => {
  render(<Page />)
  await userEvent.type(field(), '500')
  expect(told()).toBe('500')
  expect(screen.getByText('A whole number from 1 to 128')).toBeTruthy()
  await userEvent.clear(field())
  expect(screen.queryByText('A whole number from 1 to 128')).toBeNull()
})

test('a fraction is typed as it is, and groups appear when the field is left', async () => {
  render(<Page decimal />)
  await userEvent.type(field(), '0.50')
  expect(told()).toBe('0.50')
  await userEvent.clear(field())
  await userEvent.type(field(), '12345')
  await userEvent.tab()
  expect((field() as HTMLInputElement).value).toBe('12,345')
})

test('integers above 2^53 keep all their digits', () => {
  expect(numberText('9223372036854775807')).toBe('9,223,372,036,854,775,807')
  expect(plainNumber('9,223,372,036,854,775,807')).toBe('9223372036854775807')
  expect(isWithin('9007199254740993', {})).toBe(false)
})

test('what is no number stays, and groups are only taken where they stand right', () => {
  expect(['1,000', '1,5', ' 7 ', '１２', 'abc', '−3'].map(plainNumber)).toEqual(['1000', '1,5', '7', '12', 'abc', '-3'])
})

test('digits come and go inside of groups, one at a time', async () => {
  expect(['1,0001', '1,00', '1000', '0,5'].map((typed) => editedNumber('1,000', typed))).toEqual([
    '10001',
    '100',
    '1000',
    '0,5',
  ])
  render(<Page decimal start="1000" />)
  await userEvent.type(field(), '5')
  expect([told(), (field() as HTMLInputElement).value]).toEqual(['10005', '1,0005'])
  await userEvent.tab()
  expect((field() as HTMLInputElement).value).toBe('10,005')
})

test('bounds in words', () => {
  expect([{}, { min: 1 }, { decimal: true }, { min: 0, decimal: true, above: true }].map(boundsWords)).toEqual([
    'A whole number, 0 or more',
    'A whole number, 1 or more',
    'A number',
    'A number above 0',
  ])
})
