import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState, type ReactNode } from 'react'
import { expect, test, vi } from 'vitest'
import { FieldRow } from '../../src/ui/FieldRow'
import { AreaField, plainChoices, SelectField, SmallSelect, TextField } from '../../src/ui/inputs'
import { descriptionOf, faultOf } from './description'

interface Parts {
  hint?: string
  error?: string
}

const choices = plainChoices(['memory', 'device', 'paged'])
type Engine = 'memory' | 'device' | 'paged'

/** Each kind of field with the name "Storage", its value kept as a page keeps it. */
const kinds: [string, (parts: Parts) => ReactNode][] = [
  [
    'TextField',
    (parts) => <Kept>{(value, set) => <TextField {...parts} {...{ value, label }} onChange={set} />}</Kept>,
  ],
  [
    'AreaField',
    (parts) => <Kept>{(value, set) => <AreaField {...parts} {...{ value, label }} onChange={set} />}</Kept>,
  ],
  [
    'SelectField',
    (parts) => <Kept>{(value, set) => <SelectField {...parts} {...{ value, label, choices }} onChange={set} />}</Kept>,
  ],
]
const label = 'Storage'

function Kept({ children }: { children: (value: Engine, set: (value: string) => void) => ReactNode }) {
  const [value, setValue] = useState('memory')
  return children(value as Engine, setValue)
}

const control = (): HTMLInputElement => screen.getByLabelText(label)

const description = (): string[] => descriptionOf(control())

test.each(kinds)('%s without hint and problem is described by nothing', (_, field) => {
  render(field({}))
  expect(description()).toEqual([])
  expect(control().getAttribute('aria-invalid')).toBeNull()
})

test.each(kinds)('%s is described by its hint', (_, field) => {
  render(field({ hint: 'It cannot be changed.' }))
  expect(description()).toEqual(['It cannot be changed.'])
  expect(control().getAttribute('aria-invalid')).toBeNull()
})

test.each(kinds)('%s with a problem is invalid, described by it, and the problem is announced', (_, field) => {
  const { rerender } = render(field({ hint: 'It cannot be changed.' }))
  rerender(field({ hint: 'It cannot be changed.', error: 'No device is allowed.' }))
  expect(description()).toEqual(['It cannot be changed.', 'No device is allowed.'])
  expect(control().getAttribute('aria-invalid')).toBe('true')
  expect(screen.getByRole('alert').textContent).toBe('No device is allowed.')
  rerender(field({ hint: 'It cannot be changed.' }))
  expect(control().getAttribute('aria-invalid')).toBeNull()
  expect(screen.queryByRole('alert')).toBeNull()
})

test('two fields of one form are described each by its own problem', () => {
  render(
    <>
      <TextField label="Name" value="a b" onChange={() => undefined} error="No spaces." />
      <TextField label={label} value="tape" onChange={() => undefined} error="No such engine." />
    </>,
  )
  expect(description()).toEqual(['No such engine.'])
})

test('a row shows one problem, and only the control that it is about is described by it', () => {
  const row = (errors: { bin?: string; value?: string }) => (
    <FieldRow<'bin' | 'path' | 'value'> errors={errors}>
      {(part) =>
        (['bin', 'path', 'value'] as const).map((name) => <input key={name} aria-label={name} {...part(name)} />)
      }
    </FieldRow>
  )
  const faults = () => ['bin', 'path', 'value'].map((name) => faultOf(screen.getByLabelText(name)))
  const { rerender } = render(row({}))
  expect([faults(), screen.queryByRole('alert')]).toEqual([[undefined, undefined, undefined], null])
  rerender(row({ value: 'Enter a value' }))
  expect(faults()).toEqual([undefined, undefined, 'Enter a value'])
  rerender(row({ bin: 'Enter a bin', value: 'Enter a value' }))
  expect(faults()).toEqual(['Enter a bin', undefined, undefined])
  expect(screen.getByRole('alert').textContent).toBe('Enter a bin')
})

test.each(['TextField', 'AreaField'])('%s takes what is typed, and a click on its label goes to it', async (kind) => {
  const user = userEvent.setup()
  render(kinds.find(([name]) => name === kind)?.[1]({}))
  await user.click(screen.getByText(label))
  expect(document.activeElement).toBe(control())
  await user.clear(control())
  await user.keyboard('paged')
  expect(control().value).toBe('paged')
})

test.each([
  [
    'SelectField',
    <Kept key="field">{(value, set) => <SelectField {...{ value, label, choices }} onChange={set} />}</Kept>,
  ],
  [
    'SmallSelect',
    <Kept key="small">{(value, set) => <SmallSelect {...{ value, label, choices }} onChange={set} />}</Kept>,
  ],
])('%s offers its choices and shows the chosen one', async (_, field) => {
  const user = userEvent.setup()
  render(field)
  const select = screen.getByRole<HTMLSelectElement>('combobox', { name: label })
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['memory', 'device', 'paged'])
  await user.selectOptions(select, 'paged')
  expect(select.value).toBe('paged')
})

test('a select that is disabled changes nothing', async () => {
  const user = userEvent.setup()
  const onChange = vi.fn<(value: Engine) => void>()
  render(<SelectField {...{ label, choices }} value="memory" onChange={onChange} disabled />)
  await user.selectOptions(control(), 'paged')
  expect(onChange).not.toHaveBeenCalled()
})
