const { focus } = HTMLElement.prototype
let added = false

/** Lets focus() read its option `preventScroll`, as browsers do; the library asks for it. Files of tests share a document. */
export function readFocusOptions(): void {
  if (added) return
  added = true
  Object.assign(HTMLElement.prototype, {
    focus(this: HTMLElement, options?: FocusOptions) {
      focus.call(this, { preventScroll: options?.preventScroll ?? false })
    },
  })
}
