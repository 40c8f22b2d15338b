/** Where a page has room for the menu of a table's columns. Only the menu renders when the place comes or goes. */
export class MenuPlace {
  #element: HTMLElement | null = null
  readonly #listeners = new Set<() => void>()

  /** The element of the place has come, or goes. */
  readonly take = (element: HTMLElement | null): void => {
    this.#element = element
    for (const listener of this.#listeners) listener()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly element = (): HTMLElement | null => this.#element
}
