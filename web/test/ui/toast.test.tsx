import { act, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Toasts, toast } from '../../src/ui/toast'

beforeEach(async () => {
  vi.useFakeTimers()
  // Other files say things that nobody shows.
  const { unmount } = render(<Toasts />)
  await settle()
  await dismiss()
  unmount()
})

afterEach(async () => {
  // The list outlives a page: dismiss what a test left in it.
  await dismiss()
  vi.useRealTimers()
})

async function dismiss(): Promise<void> {
  for (const button of screen.queryAllByRole('button', { name: 'Dismiss' })) fireEvent.click(button)
  await settle()
}

const region = (): HTMLElement => screen.getByRole('region', { name: 'Notifications' })
const shown = (): (string | null)[] =>
  within(region())
    .queryAllByRole('group')
    .map(({ textContent }) => textContent)
/** What closes is gone when its fading has ended. */
const settle = (): Promise<void> => act(async () => void (await vi.advanceTimersByTimeAsync(50)))
const show = async (...texts: Parameters<typeof toast>): Promise<void> => {
  act(() => void toast(...texts))
  await settle()
}

test('a toast comes into a region that screen readers watch already, and is read alone', async () => {
  render(<Toasts />)
  await settle()
  expect(region().getAttribute('aria-live')).toBe('polite')
  expect(region().getAttribute('aria-atomic')).toBe('false')
  const before = region()
  await show('Dropped shop')
  expect(region()).toBe(before)
  expect(shown()).toEqual(['Dropped shop'])
})

test('what is said before the region is there comes with it', async () => {
  toast('Dropped shop')
  render(<Toasts />)
  await settle()
  expect(shown()).toEqual(['Dropped shop'])
})

test('good news goes by itself, an error stays', async () => {
  render(<Toasts />)
  await show('Saved')
  await show('It is not saved', 'bad')
  expect(shown()).toEqual(['Saved', 'It is not saved'])
  await act(async () => void (await vi.advanceTimersByTimeAsync(7000)))
  expect(shown()).toEqual(['It is not saved'])
})

test('Dismiss takes away its own toast', async () => {
  render(<Toasts />)
  await show('one', 'bad')
  await show('two', 'bad')
  const [first] = within(region()).getAllByRole('button', { name: 'Dismiss' })
  fireEvent.click(first ?? document.body)
  await settle()
  expect(shown()).toEqual(['two'])
})

test('four are shown, and an error outlives newer good news', async () => {
  render(<Toasts />)
  await show('failed', 'bad')
  for (const text of ['1', '2', '3', '4']) await show(text)
  expect(shown()).toEqual(['failed', '2', '3', '4'])
})

test('of five errors the oldest goes, and news after four errors is shown', async () => {
  render(<Toasts />)
  for (const text of ['1', '2', '3', '4', '5']) await show(text, 'bad')
  expect(shown()).toEqual(['2', '3', '4', '5'])
  await show('saved')
  expect(shown()).toEqual(['3', '4', '5', 'saved'])
})
