// Whether somebody uses the page. The server ends a session that nobody uses, however often pages read by themselves.

/** Requests are sent by the page itself if nobody has touched it for so long. */
const UNTOUCHED_MS = 60_000
/** Who reads a page that asks for nothing is in use too: it says so as often as this. */
const TELL_MS = 5 * 60_000
const EVENTS = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const

let touchedMs = Date.now()

export const isUntouched = (): boolean => Date.now() - touchedMs > UNTOUCHED_MS

/** Calls `tell` now and then while the page is used. Returns how to stop. */
export function watchActivity(tell: () => void): () => void {
  let toldMs = Date.now()
  const touched = (): void => {
    touchedMs = Date.now()
    if (touchedMs - toldMs < TELL_MS) return
    toldMs = touchedMs
    tell()
  }
  for (const name of EVENTS) addEventListener(name, touched, { passive: true })
  return () => {
    for (const name of EVENTS) removeEventListener(name, touched)
  }
}
