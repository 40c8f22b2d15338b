import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { ScrollTable } from '../../src/table/ScrollTable'

const tips = (): (string | null)[] => [...document.querySelectorAll('.tip')].map(({ textContent }) => textContent)

/** A table whose second cell is narrower than its text. */
function renderCut(): { whole: HTMLElement; cut: HTMLElement } {
  render(
    <ScrollTable label="Records">
      <tbody>
        <tr tabIndex={-1}>
          <td>short</td>
          <td>a long text that is cut off</td>
        </tr>
      </tbody>
    </ScrollTable>,
  )
  const [whole, cut] = [screen.getByText('short'), screen.getByText('a long text that is cut off')]
  Object.defineProperties(cut, { scrollWidth: { value: 200 }, clientWidth: { value: 90 } })
  return { whole, cut }
}

test('text that is cut off shows in full under the pointer, and Escape hides it', async () => {
  const user = userEvent.setup()
  const { whole, cut } = renderCut()
  await user.hover(whole)
  await user.hover(cut)
  await waitFor(() => expect(tips()).toEqual(['a long text that is cut off']))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(tips()).toEqual([]))
  await user.hover(whole)
  await user.hover(cut)
  await waitFor(() => expect(tips()).toEqual(['a long text that is cut off']))
  await user.hover(whole)
  await waitFor(() => expect(tips()).toEqual([]))
  expect(cut.title).toBe('')
})

test('the arrows lead from a row to text that is cut off, and to no other', async () => {
  const user = userEvent.setup()
  const { whole, cut } = renderCut()
  await user.tab()
  await user.keyboard('{ArrowDown}{ArrowRight}')
  expect(document.activeElement).toBe(cut)
  await waitFor(() => expect(tips()).toEqual(['a long text that is cut off']))
  await user.keyboard('{ArrowLeft}')
  expect(document.activeElement).toBe(screen.getByRole('row'))
  await waitFor(() => expect(tips()).toEqual([]))
  expect(whole.hasAttribute('tabindex')).toBe(false)
})
