import { useSyncExternalStore } from 'react'
import { Button } from './Button'
import { Icon } from './Icon'

interface Toast {
  id: number
  tone: 'good' | 'bad' | 'plain'
  text: string
}

let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

function publish(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

function dismiss(id: number): void {
  publish(toasts.filter((toast) => toast.id !== id))
}

/** Shows a notification; errors stay until dismissed. */
export function toast(text: string, tone: Toast['tone'] = 'good'): void {
  const id = nextId++
  publish([...toasts, { id, tone, text }].slice(-4))
  if (tone !== 'bad') setTimeout(() => dismiss(id), 5000)
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => toasts,
  )
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((entry) => (
        <div key={entry.id} className={`toast ${entry.tone}`}>
          <span>{entry.text}</span>
          <Button look="quiet" small aria-label="Dismiss" onClick={() => dismiss(entry.id)}>
            <Icon name="close" />
          </Button>
        </div>
      ))}
    </div>
  )
}
