import type { Locator } from 'playwright-core'

/** Chooses by value or label: in a select, or in the list that a box with a search opens. */
export async function pick(control: Locator, choice: string): Promise<void> {
  if ((await control.evaluate(({ localName }) => localName)) === 'select') {
    await control.selectOption(choice)
    return
  }
  await control.click()
  const option = control.page().getByRole('option')
  await option
    .and(control.page().locator(`[data-value="${choice}"]`))
    .or(option.filter({ hasText: choice }))
    .first()
    .click()
}
