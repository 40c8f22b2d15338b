/** How long `whenIdle` waits for a page that is busy all the time. */
const MOST_MS = 3000

/**
 * Ends the task, so that the browser can draw and take input before the next one. A message, not a timer: those of a
 * hidden page wait for a second.
 */
export function pause(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(undefined)
  })
}

/** Calls when the page has nothing else to do. Answers what takes that back. */
export function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(act)
    return () => clearTimeout(timer)
  }
  const wait = requestIdleCallback(act, { timeout: MOST_MS })
  return () => cancelIdleCallback(wait)
}
