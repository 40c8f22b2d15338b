// Time that stands still: what waits for seconds waits, however slow the machine is.
import { onTestFinished, vi } from 'vitest'

/** Until the end of the test, the clock that only counts shows the same. Timers go on, and the date does as far as it did before. */
export function stillTime(): void {
  const shown = performance.now()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(shown)
  onTestFinished(() => void clock.mockRestore())
}
