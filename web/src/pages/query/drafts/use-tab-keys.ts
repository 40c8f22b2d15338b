import { useEffect, useRef } from 'react'

/** Actions of the workbench keys, by their names in the list of shortcuts. */
export interface TabActions {
  add: () => void
  close: () => void
  reopen: () => void
  next: () => void
  previous: () => void
}

/**
 * The action of a key. Keys need Alt, because browsers use the usual tab keys themselves. `writing`: a field has
 * the focus.
 */
export function tabAction(event: KeyboardEvent, writing: boolean): keyof TabActions | undefined {
  const { altKey, ctrlKey, metaKey, shiftKey, key, code } = event
  if (!altKey || ctrlKey || metaKey) return undefined
  if (key === 'PageDown') return 'next'
  if (key === 'PageUp') return 'previous'
  // With Alt some keyboards type another letter, or none. In a field, the user wants that letter.
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
      if (action === undefined || at.closest('[role=dialog]') !== null) return
      event.preventDefault()
      latest.current[action]()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
