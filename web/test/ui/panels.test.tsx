import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createRef } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { Card } from '../../src/ui/Card'
import { Empty } from '../../src/ui/Empty'
import { Help } from '../../src/ui/Help'
import { Progress } from '../../src/ui/Progress'
import { Skeleton } from '../../src/ui/Skeleton'
import { Ago } from '../../src/ui/Time'
import { saidOf } from './description'

afterEach(() => vi.useRealTimers())

test('a card with a title is a region of that name, whatever stands beside the title', () => {
  render(
    <Card title="Indexes" aside="of all namespaces" end={<button>Create</button>}>
      none
    </Card>,
  )
  expect(screen.getByRole('region', { name: 'Indexes' }).textContent).toBe('Indexesof all namespacesCreatenone')
  expect(screen.getByRole('heading', { level: 2, name: 'Indexes' })).toBeTruthy()
})

test('a card without a title is no region', () => {
  render(<Card>none</Card>)
  expect(screen.queryByRole('region')).toBeNull()
  expect(screen.queryByRole('heading')).toBeNull()
})

test('only a card that a page holds can take the focus, and not by Tab', async () => {
  const user = userEvent.setup()
  const ref = createRef<HTMLElement>()
  render(
    <>
      <Card title="Result" ref={ref}>
        42
      </Card>
      <Card title="Plan">primary</Card>
    </>,
  )
  await user.tab()
  expect(document.activeElement).toBe(document.body)
  ref.current?.focus()
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Result' }))
  expect(screen.getByRole('region', { name: 'Plan' }).hasAttribute('tabindex')).toBe(false)
})

test('an empty place says what it is for, and offers the next step', () => {
  render(
    <Empty title="No indexes yet" action={<a href="/indexes">Create an index</a>}>
      An index finds records by the value of a bin.
    </Empty>,
  )
  for (const words of ['No indexes yet', 'An index finds records by the value of a bin.'])
    expect(screen.getByText(words)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Create an index' })).toBeTruthy()
})

test('help is folded until its summary is pressed', async () => {
  const user = userEvent.setup()
  render(<Help>A page holds several records.</Help>)
  const help = screen.getByRole<HTMLDetailsElement>('group')
  expect(help.open).toBe(false)
  await user.click(screen.getByText('What it means'))
  expect(help.open).toBe(true)
  expect(help.textContent).toContain('A page holds several records.')
})

test.each([
  [0, 300, '0'],
  [100, 300, '33'],
  [300, 300, '100'],
  [400, 300, '100'],
  [5, undefined, null],
  [0, 0, null],
])('progress of %s of %s is %s percent', (done, total, percent) => {
  render(<Progress label="Index build" done={done} total={total} />)
  const bar = screen.getByRole('progressbar', { name: 'Index build' })
  expect(bar.getAttribute('aria-valuenow')).toBe(percent)
})

test('what loads is announced', () => {
  render(<Skeleton />)
  expect(screen.getByRole('status', { name: 'Loading' }).getAttribute('aria-busy')).toBe('true')
})

test('a time is kept current, and has the full time as its tip', () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-25T12:00:12Z') })
  render(<Ago time="2026-11-25T12:00:00Z" />)
  const time = screen.getByText('12 s ago')
  expect(time.getAttribute('datetime')).toBe('2026-11-25T12:00:00Z')
  expect(saidOf(time)).toMatch(/^2026-11-2\d \d\d:\d\d:00$/)
  act(() => vi.advanceTimersByTime(60_000))
  expect(time.textContent).toBe('1 min 12 s ago')
})

test.each([null, undefined])('a time that is %s has never been', (time) => {
  render(<Ago time={time} />)
  expect(screen.getByText('never')).toBeTruthy()
})
