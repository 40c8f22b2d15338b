import type { Locator } from 'playwright-core'

/** Chooses by value or label: in a select, or in the list that a box with a search opens. */
export async function pick(control: Locator, choice: string): Promise<void> {
  if ((await control.evaluate(({ localName }) => localName)) === 'select') {
    await control.selectOption(choice)
    return
  }
  await control.click()
  // The options of selects are there too, hidden.
  const option = control.page().locator('[role=option]')
  await option
    .and(control.page().locator(`[data-value="${choice}"]`))
    .or(option.filter({ hasText: choice }))
    .first()
    .click()
}

/** The chosen value of a select, or of a box with a search. */
export const picked = (control: Locator): Promise<string> =>
  control.evaluate((element) => (element as HTMLSelectElement | HTMLButtonElement).value)
