let added = false

/**
 * Adds what happy-dom lacks of a modal <dialog>, as the HTML standard has it: Escape, and where the focus goes. Files of
 * tests share a document, so it adds this once.
 */
export function addDialogs(): void {
  if (added) return
  added = true
  const style = document.createElement('style')
  style.textContent = 'dialog:not([open]) { display: none }'
  document.head.append(style)

  const openers = new WeakMap<HTMLDialogElement, Element | null>()
  const focus = HTMLElement.prototype.focus
  Object.assign(HTMLElement.prototype, {
    focus(this: HTMLElement) {
      if (this !== document.body && this.closest('dialog:not([open])') === null) focus.call(this)
    },
  })
  Object.assign(HTMLDialogElement.prototype, {
    showModal(this: HTMLDialogElement) {
      if (this.open || !this.isConnected) throw new DOMException('open, or not in the page', 'InvalidStateError')
      openers.set(this, document.activeElement)
      this.open = true
      this.querySelector<HTMLElement>('button, input, select, textarea')?.focus()
    },
    close(this: HTMLDialogElement) {
      if (!this.open) return
      this.open = false
      // A dialog that has left the page gives no focus back.
      const opener = this.isConnected ? openers.get(this) : undefined
      if (opener instanceof HTMLElement) opener.focus()
      queueMicrotask(() => this.dispatchEvent(new Event('close')))
    },
  })
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') [...document.querySelectorAll<HTMLDialogElement>('dialog[open]')].at(-1)?.close()
  })
}
