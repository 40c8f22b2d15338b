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

/** The newest four. The oldest goes, an error only if all are errors. */
function newest(all: readonly Toast[]): readonly Toast[] {
  if (all.length <= 4) return all
  const gone = all.slice(0, -1).find(({ tone }) => tone !== 'bad') ?? all[0]
  return all.filter((entry) => entry !== gone)
}

/** Shows a notification; errors stay until dismissed. */
export function toast(text: string, tone: Toast['tone'] = 'good'): void {
  const id = nextId++
  publish(newest([...toasts, { id, tone, text }]))
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
    // Not atomic: a new one is read alone, without those before it.
    <div className="toasts" role="status" aria-live="polite" aria-atomic="false">
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
