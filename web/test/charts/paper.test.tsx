import { act, render } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { ChartCard } from '../../src/charts/card/ChartCard'
import { isPaper, printPage, watchPaper } from '../../src/charts/paper'
import type { ChartSpec } from '../../src/charts/spec/spec'
import { Staged } from './stage'

const spec: ChartSpec = {
  x: { name: 'at', scale: 'linear', format: 'seconds', values: [0, 1] },
  y: { scale: 'linear', format: 'short' },
  series: [{ id: 'a', name: 'a', colour: 1, values: [1, 2] }],
}
const root = document.documentElement

afterEach(() => {
  delete root.dataset['paper']
  delete root.dataset['theme']
  document.body.replaceChildren()
})

test('what is out of view is drawn for paper, in the colours of paper, and not after it', () => {
  root.dataset['theme'] = 'dark'
  const staged = new Staged(undefined, false)
  render(<ChartCard title="Load" spec={spec} />, { wrapper: staged.around })
  const stop = watchPaper()
  expect(staged.last?.theme).toMatchObject({ dark: true, paper: false })
  const before = staged.drawings.length
  act(() => void dispatchEvent(new Event('beforeprint')))
  expect(isPaper()).toBe(true)
  expect(staged.drawings.slice(before).map(({ theme: { dark, paper } }) => ({ dark, paper }))).toEqual([
    { dark: false, paper: true },
  ])
  act(() => void dispatchEvent(new Event('afterprint')))
  expect([isPaper(), staged.drawings.length]).toEqual([false, before + 1])
  stop()
  act(() => void dispatchEvent(new Event('beforeprint')))
  expect(isPaper()).toBe(false)
})

test('a page is printed when its charts are drawn for paper, and is for the screen again after it', async () => {
  const canvas = Object.assign(document.createElement('canvas'), { className: 'chart' })
  canvas.dataset['drawn'] = 'dark'
  document.body.append(canvas)
  const frames: FrameRequestCallback[] = []
  const printed = vi.fn<() => void>(() => expect(isPaper()).toBe(true))
  vi.stubGlobal('requestAnimationFrame', (then: FrameRequestCallback) => frames.push(then))
  vi.stubGlobal('print', printed)
  const frame = async (): Promise<void> => {
    for (const then of frames.splice(0)) then(0)
    await Promise.resolve()
  }
  try {
    const done = printPage()
    expect(isPaper()).toBe(true)
    for (let at = 0; at < 5; at++) await frame()
    expect(printed).not.toHaveBeenCalled()
    canvas.dataset['drawn'] = 'paper'
    for (let at = 0; at < 4; at++) await frame()
    await done
    expect(printed).toHaveBeenCalledOnce()
    expect(isPaper()).toBe(false)
  } finally {
    vi.unstubAllGlobals()
  }
})
