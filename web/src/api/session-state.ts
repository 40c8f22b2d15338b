/** Told when any call is answered 401, so that the shell can show the sign-in page instead of a broken one. */
const listeners = new Set<() => void>()

export function signedOut(): void {
  for (const listener of listeners) listener()
}

export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
