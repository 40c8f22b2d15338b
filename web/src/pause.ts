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
