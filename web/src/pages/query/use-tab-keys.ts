import { useEffect, useRef } from 'react'

/** What the keys of the workbench do, by the name that the sheet of shortcuts gives them. */
export interface TabActions {
  add: () => void
  close: () => void
  reopen: () => void
  next: () => void
  previous: () => void
}

/** Which of them a key means: with Alt, since browsers keep the usual keys of tabs for their own. */
export function tabAction(event: KeyboardEvent): keyof TabActions | undefined {
  const { altKey, ctrlKey, metaKey, shiftKey, key, code } = event
  if (!altKey || ctrlKey || metaKey) return undefined
  if (key === 'PageDown') return 'next'
  if (key === 'PageUp') return 'previous'
  // With Alt some keyboards write another letter, or none.
  const letter = /^[a-z]$/i.test(key) ? key.toLowerCase() : code.replace(/^Key/, '').toLowerCase()
  if (letter === 'n') return shiftKey ? 'reopen' : 'add'
  return letter === 'w' && !shiftKey ? 'close' : undefined
}

/** Listens while the page is shown, but not in dialogs. */
export function useTabKeys(actions: TabActions): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const action = tabAction(event)
      if (action === undefined || (event.target as Element).closest('dialog') !== null) return
      event.preventDefault()
      latest.current[action]()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
