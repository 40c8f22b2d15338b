// What is typed for the command palette before its field is there: the field begins with it.

/** Longer ones find nothing. */
const MOST_LENGTH = 100

let isAwaited = false
let text = ''
let isEntered = false

/** The palette is asked for: what is typed from now on is for its field. */
export function awaitField(): void {
  isAwaited = true
}

export const isFieldAwaited = (): boolean => isAwaited

/** Takes a key for the field. False: the key is for something else. */
export function typeAhead(event: KeyboardEvent): boolean {
  const { key } = event
  if (!isAwaited || event.ctrlKey || event.metaKey || event.altKey) return false
  if (key === 'Escape') forgetTyped()
  else if (key === 'Enter') isEntered = true
  else if (key === 'Backspace') text = Array.from(text).slice(0, -1).join('')
  else if (Array.from(key).length !== 1) return false
  else if (!isEntered && text.length < MOST_LENGTH) text += key
  event.preventDefault()
  return true
}

/** What the field begins with, and whether Enter was pressed after it. From now on the field takes the keys itself. */
export function takeTyped(): { text: string; isEntered: boolean } {
  const typed = { text, isEntered }
  forgetTyped()
  return typed
}

export function forgetTyped(): void {
  isAwaited = false
  text = ''
  isEntered = false
}
