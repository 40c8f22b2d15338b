// Keys that are pressed while only the frame of the page is there. They act when the console runs.
import { opensPalette } from './palette-keys'
import { awaitField, forgetTyped, typeAhead } from './typed-ahead'

/** Nobody presses more shortcuts in that time. */
const MOST = 50

let kept: KeyboardEvent[] = []

/** Keeps shortcuts, and what is typed for the palette. Not for the page of sign-in: a password is never kept. */
export function keepKeys(): void {
  document.addEventListener('keydown', keep)
}

function keep(event: KeyboardEvent): void {
  if (typeAhead(event)) return
  if (opensPalette(event)) {
    event.preventDefault()
    awaitField()
  } else if (isShortcut(event) && kept.length < MOST) kept.push(event)
}

const isShortcut = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  key.length === 1 && !ctrlKey && !metaKey && !altKey

/** Ends it. Answers the shortcuts in their order. What was typed for the palette waits for its field. */
export function takeKeys(): readonly KeyboardEvent[] {
  document.removeEventListener('keydown', keep)
  const taken = kept
  kept = []
  return taken
}

export function forgetKeys(): void {
  takeKeys()
  forgetTyped()
}
