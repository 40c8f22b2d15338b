import { useEffect, useRef } from 'react'

/** What the keys of the workbench do, by the name that the sheet of shortcuts gives them. */
export interface TabActions {
  add: () => void
  close: () => void
  reopen: () => void
  next: () => void
  previous: () => void
}

/**
 * Which of them a key means: with Alt, since browsers keep the usual keys of tabs for their own. `writing`: a field has
 * the focus.
 */
export function tabAction(event: KeyboardEvent, writing: boolean): keyof TabActions | undefined {
  const { altKey, ctrlKey, metaKey, shiftKey, key, code } = event
  if (!altKey || ctrlKey || metaKey) return undefined
  if (key === 'PageDown') return 'next'
  if (key === 'PageUp') return 'previous'
  // With Alt some keyboards write another letter, or none; in a field that is what is meant.
  const letter = /^[a-z]$/i.test(key) ? key : writing ? '' : code.replace(/^Key/, '')
  if (letter.toLowerCase() === 'n') return shiftKey ? 'reopen' : 'add'
  return letter.toLowerCase() === 'w' && !shiftKey ? 'close' : undefined
}

/** Listens while the page is shown, but not in dialogs. */
export function useTabKeys(actions: TabActions): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const at = event.target as Element
      const action = tabAction(event, at.closest('input, textarea, [contenteditable]') !== null)
      if (action === undefined || at.closest('dialog') !== null) return
      event.preventDefault()
      latest.current[action]()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
