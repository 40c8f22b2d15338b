/** What a screen reader says after the name of a control. */
export function descriptionOf(control: Element): string[] {
  const ids = control.getAttribute('aria-describedby')?.split(' ') ?? []
  return ids.map((id) => document.getElementById(id)?.textContent ?? `nothing has the id ${id}`)
}

/** What is said to be wrong with a control; undefined if nothing is. */
export const faultOf = (control: Element): string | undefined =>
  control.getAttribute('aria-invalid') === 'true' ? descriptionOf(control).at(-1) : undefined

/** What its tip says of an element, also while it is hidden; null if it has none. */
export const saidOf = (element: Element): string | null => element.getAttribute('aria-description')
