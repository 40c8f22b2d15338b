import { useSyncExternalStore } from 'react'
import { getKept, putKept } from '../../kept'

export type ThemeChoice = 'auto' | 'light' | 'dark'

const KEY = 'tessera.theme'
const listeners = new Set<() => void>()
const system = matchMedia('(prefers-color-scheme: dark)')

function stored(): ThemeChoice {
  const value = getKept('localStorage', KEY)
  return value === 'light' || value === 'dark' ? value : 'auto'
}

let choice = stored()

function apply(): void {
  const dark = choice === 'dark' || (choice === 'auto' && system.matches)
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light'
}

system.addEventListener('change', apply)

export function setTheme(next: ThemeChoice): void {
  choice = next
  // If the browser does not store the choice, it lasts as long as the page.
  putKept('localStorage', KEY, next)
  apply()
  for (const listener of listeners) listener()
}

export function useTheme(): ThemeChoice {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => choice,
  )
}
