// Waiting for a condition, without a time.

/** Looks again after each turn of the event loop. */
export async function turnsUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}
