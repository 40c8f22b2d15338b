import { useSyncExternalStore } from 'react'
import { awaitField, forgetTyped } from './typed-ahead'

/** Which global dialog is open; one at a time. */
export type OverlayName = 'palette' | 'shortcuts' | undefined

let open: OverlayName
const listeners = new Set<() => void>()

export function openOverlay(name: OverlayName): void {
  if (name !== 'palette') forgetTyped()
  else if (open !== 'palette') awaitField()
  open = name
  for (const listener of listeners) listener()
}

export function useOverlay(): OverlayName {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => open,
  )
}
