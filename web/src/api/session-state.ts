/** `byChoice`: the person has ended the session, and not the server. */
type Listener = (how: { byChoice: boolean }) => void

/** Notified when a call answers 401, so that the shell shows the sign-in page. */
const listeners = new Set<Listener>()

export function signedOut(how = { byChoice: false }): void {
  for (const listener of listeners) listener(how)
}

export function onSignedOut(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
