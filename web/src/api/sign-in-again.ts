import { useSyncExternalStore } from 'react'

// What needs a fresh sign-in waits here until the person has signed in again, in a dialog over the page.

let waiting: ((done: boolean) => void)[] = []
/** When the browser got another session, on the clock of the page. */
let sinceMs = -Infinity
const listeners = new Set<() => void>()

function publish(next: typeof waiting): void {
  waiting = next
  for (const listener of listeners) listener()
}

/** Asks the person to sign in again. Resolves with false if they do not want to. */
export const signedInAgain = (): Promise<boolean> => new Promise((resolve) => publish([...waiting, resolve]))

/** The dialog has ended. */
export function endSignIn(done: boolean): void {
  if (done) sinceMs = performance.now()
  const all = waiting
  publish([])
  for (const resolve of all) resolve(done)
}

/** Whether a call that began then may have had the session that another one has replaced. */
export const isOfSessionBefore = (beganMs: number): boolean => waiting.length > 0 || beganMs < sinceMs

/** Whether somebody has to sign in again. */
export function useSignInAgain(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => waiting.length > 0,
  )
}
