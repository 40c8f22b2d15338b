import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { Tab, TabList, TabPanel, Tabs } from '../../src/ui/Tabs'

function Page() {
  const [shown, setShown] = useState(2)
  return (
    <Tabs shown={shown} onShow={setShown}>
      <TabList aria-label="Open queries">
        {[1, 2, 3].map((value) => (
          <Tab key={value} value={value}>
            query {value}
          </Tab>
        ))}
      </TabList>
      {[1, 2, 3].map((value) => (
        <TabPanel key={value} value={value}>
          <input aria-label={`text ${value}`} />
        </TabPanel>
      ))}
    </Tabs>
  )
}

const selected = (): string | null => screen.getByRole('tab', { selected: true }).textContent

test('the arrows, Home and End show the tab that they go to', async () => {
  const user = userEvent.setup()
  render(<Page />)
  await user.tab()
  const seen: (string | null)[] = []
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'Home', 'End']) {
    await user.keyboard(`{${key}}`)
    expect(document.activeElement?.textContent).toBe(selected())
    seen.push(selected())
  }
  expect(seen).toEqual(['query 3', 'query 1', 'query 3', 'query 1', 'query 3'])
})

test('the tabs are one stop of the Tab key, and a panel is none', () => {
  render(<Page />)
  expect(screen.getAllByRole('tab').map(({ tabIndex }) => tabIndex)).toEqual([-1, 0, -1])
  expect(screen.getByRole('tabpanel').hasAttribute('tabindex')).toBe(false)
})

test('a panel is named by its tab, and keeps what is in it while another is shown', async () => {
  const user = userEvent.setup()
  render(<Page />)
  await user.type(screen.getByLabelText('text 2'), 'kept')
  await user.click(screen.getByRole('tab', { name: 'query 3' }))
  await waitFor(() => expect(screen.getByRole('tabpanel').contains(screen.getByLabelText('text 3'))).toBe(true))
  const tab = screen.getByRole('tab', { name: 'query 3' })
  expect(screen.getByRole('tabpanel', { name: 'query 3' }).id).toBe(tab.getAttribute('aria-controls'))
  await user.click(screen.getByRole('tab', { name: 'query 2' }))
  expect(screen.getByLabelText<HTMLInputElement>('text 2').value).toBe('kept')
})
