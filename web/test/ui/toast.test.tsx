import { act, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Toasts, toast } from '../../src/ui/toast'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  // The list outlives a page: dismiss what a test left in it.
  for (const button of screen.queryAllByRole('button', { name: 'Dismiss' })) fireEvent.click(button)
  vi.useRealTimers()
})

const region = (): HTMLElement => screen.getByRole('status')
const shown = (): (string | null)[] => [...region().children].map(({ textContent }) => textContent)
const show = (...texts: Parameters<typeof toast>): void => act(() => toast(...texts))

test('a toast comes into a region that screen readers watch already, and is read alone', () => {
  render(<Toasts />)
  expect(region().getAttribute('aria-live')).toBe('polite')
  expect(region().getAttribute('aria-atomic')).toBe('false')
  const before = region()
  show('Dropped shop')
  expect(region()).toBe(before)
  expect(shown()).toEqual(['Dropped shop'])
})

test('good news goes by itself, an error stays', () => {
  render(<Toasts />)
  show('Saved')
  show('It is not saved', 'bad')
  expect(shown()).toEqual(['Saved', 'It is not saved'])
  act(() => vi.runAllTimers())
  expect(shown()).toEqual(['It is not saved'])
})

test('Dismiss takes away its own toast', () => {
  render(<Toasts />)
  show('one', 'bad')
  show('two', 'bad')
  const [first] = within(region()).getAllByRole('button', { name: 'Dismiss' })
  fireEvent.click(first ?? document.body)
  expect(shown()).toEqual(['two'])
})

test('four are shown, and an error outlives newer good news', () => {
  render(<Toasts />)
  show('failed', 'bad')
  for (const text of ['1', '2', '3', '4']) show(text)
  expect(shown()).toEqual(['failed', '2', '3', '4'])
})

test('of five errors the oldest goes, and news after four errors is shown', () => {
  render(<Toasts />)
  for (const text of ['1', '2', '3', '4', '5']) show(text, 'bad')
  expect(shown()).toEqual(['2', '3', '4', '5'])
  show('saved')
  expect(shown()).toEqual(['3', '4', '5', 'saved'])
})
