/** Notified when a call answers 401, so that the shell shows the sign-in page. */
const listeners = new Set<() => void>()

export function signedOut(): void {
  for (const listener of listeners) listener()
}

export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
