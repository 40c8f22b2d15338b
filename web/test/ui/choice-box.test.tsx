import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { SelectField } from '../../src/ui/inputs'

const sets = Array.from({ length: 300 }, (_, n) => ({ value: `set-${n}`, label: `set-${n} (${n} records)` }))

function Page({ most }: { most: number }) {
  const [value, setValue] = useState('set-1')
  return <SelectField label="Set" value={value} choices={sets.slice(0, most)} onChange={setValue} />
}

const control = (): HTMLButtonElement => screen.getByLabelText('Set')
const options = (): (string | null)[] => screen.queryAllByRole('option').map(({ textContent }) => textContent)

async function open() {
  const user = userEvent.setup()
  render(<Page most={300} />)
  await user.tab()
  await user.keyboard('{ArrowDown}')
  await screen.findByRole('listbox')
  return user
}

test.each([
  [7, 'SELECT'],
  [8, 'BUTTON'],
])('%i choices are a %s', (most, kind) => {
  render(<Page most={most} />)
  expect(control().nodeName).toBe(kind)
})

test('many choices are found by typing, and chosen with Enter, by keyboard alone', async () => {
  const user = await open()
  await user.keyboard('set-299')
  expect(options()).toEqual(['set-299 (299 records)'])
  await user.keyboard('{Enter}')
  expect([control().value, control().textContent]).toEqual(['set-299', 'set-299 (299 records)'])
})

test('Escape closes the list and keeps the choice and the focus', async () => {
  const user = await open()
  await user.keyboard('{Escape}')
  expect([control().value, options(), document.activeElement]).toEqual(['set-1', [], control()])
})

test('the list says how many choices it leaves out', async () => {
  await open()
  expect(options()).toHaveLength(100)
  expect(screen.getByText('Only the first 100 that match are listed. Search to find others.').tagName).toBe('P')
})
