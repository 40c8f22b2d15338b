import { screen, waitForElementToBeRemoved } from '@testing-library/react'
import type userEvent from '@testing-library/user-event'

/** Chooses by value or label: in a select, or in the list that a box with a search opens. */
export async function pick(user: ReturnType<typeof userEvent.setup>, control: HTMLElement, choice: string) {
  if (control instanceof HTMLSelectElement) return user.selectOptions(control, choice)
  await user.click(control)
  await screen.findByRole('listbox')
  const options = [...document.querySelectorAll<HTMLElement>('[role=option]')]
  const option = options.find(({ dataset, textContent }) => dataset['value'] === choice || textContent === choice)
  if (option === undefined) throw new Error(`no choice ${choice} among ${options.map((one) => one.textContent).join()}`)
  await user.click(option)
  // Else the next one could choose from the list that is going.
  if (option.isConnected) await waitForElementToBeRemoved(option)
}
