import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { problemFrom, unreachable } from '../../src/api/problem'
import { Problem } from '../../src/ui/Problem'

const text = (): string | null => screen.getByRole('alert').textContent

test.each([null, undefined])('%s is no problem', (error) => {
  render(<Problem error={error} />)
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a problem of the gateway is announced with its title, code, message and advice', () => {
  const error = problemFrom(422, {
    code: 'field_invalid',
    title: 'Invalid field',
    detail: '`threads` must be 1 to 128, got 500.',
    field: 'threads',
  })
  render(<Problem error={error} />)
  for (const part of ['Invalid field', 'field_invalid · 422', 'must be 1 to 128, got 500.', 'field “threads”'])
    expect(text()).toContain(part)
  expect(screen.queryByRole('button')).toBeNull()
})

test('a gateway that does not answer has no status', () => {
  render(<Problem error={unreachable()} />)
  expect(text()).toContain('gateway_unreachable')
  expect(text()).not.toContain('· 0')
})

test('a message that only repeats the title is left out', () => {
  render(<Problem error={problemFrom(409, { code: 'exists', title: 'It exists', detail: 'It exists' })} />)
  expect(screen.getAllByText('It exists')).toHaveLength(1)
})

test('"Try again" is offered where it can help', async () => {
  const onRetry = vi.fn<() => void>()
  const user = userEvent.setup()
  render(<Problem error={problemFrom(503, { code: 'starting', title: 'It starts' })} onRetry={onRetry} />)
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(onRetry).toHaveBeenCalledTimes(1)
})

test.each([
  [new Error('x is not a function'), 'x is not a function'],
  ['a text', 'a text'],
])('a fault of the console itself is called that: %s', (error, message) => {
  render(<Problem error={error} />)
  expect(text()).toBe(`The console failed${message}`)
})
