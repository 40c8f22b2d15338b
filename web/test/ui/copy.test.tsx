import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { CodeBlock, CopyButton } from '../../src/ui/Copy'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** A browser whose clipboard API takes a text, or refuses. */
function clipboard(writeText: (text: string) => Promise<void>): void {
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } })
}

/**
 * A page that was loaded by plain http: no clipboard API, and `execCommand` says whether it copied. Only what is in the
 * open dialog can be selected.
 */
function plainHttp(copies: boolean): string[] {
  const selected: string[] = []
  vi.stubGlobal('isSecureContext', false)
  Object.assign(document, {
    execCommand: () => {
      const area = screen.getByRole('dialog').querySelector('textarea')
      if (area !== null && area === document.activeElement)
        selected.push(area.value.slice(area.selectionStart, area.selectionEnd))
      return copies
    },
  })
  return selected
}

const button = (): HTMLElement => screen.getByRole('button')
const press = async (): Promise<void> => {
  button().focus()
  await act(async () => fireEvent.click(button()))
}
const announced = (): string | null => screen.getByRole('status').textContent

test('the text is copied and announced, and a moment later the button is as before', async () => {
  const writeText = vi.fn<(text: string) => Promise<void>>(() => Promise.resolve())
  clipboard(writeText)
  vi.useFakeTimers()
  render(<CopyButton text="get /api/v1/status" label="Copy link" />)
  expect([button().textContent, announced()]).toEqual(['Copy link', ''])
  await press()
  expect(writeText).toHaveBeenCalledWith('get /api/v1/status')
  expect([button().textContent, announced()]).toEqual(['Copied', 'Copied'])
  act(() => vi.runAllTimers())
  expect([button().textContent, announced()]).toEqual(['Copy link', ''])
})

test('a clipboard that refuses is not called a copy', async () => {
  clipboard(() => Promise.reject(new DOMException('denied', 'NotAllowedError')))
  render(<CopyButton text="shop" />)
  await press()
  expect([button().textContent, announced()]).toEqual(['Not copied', 'Not copied'])
})

test.each([
  [true, 'Copied'],
  [false, 'Not copied'],
])('without the clipboard API the text is selected, within an open dialog: %s', async (copies, outcome) => {
  const selected = plainHttp(copies)
  render(
    <dialog open>
      <CopyButton text={'two\nlines'} />
    </dialog>,
  )
  await press()
  expect(selected).toEqual(['two\nlines'])
  expect(announced()).toBe(outcome)
  expect(document.activeElement).toBe(button())
  expect(screen.queryByRole('textbox')).toBeNull()
})

test('code has a name, and can be scrolled by the keyboard', () => {
  render(<CodeBlock label="The same call with curl" text="curl localhost" />)
  const code = screen.getByLabelText('The same call with curl')
  code.focus()
  expect(document.activeElement).toBe(code)
  expect(code.textContent).toBe('curl localhost')
})
