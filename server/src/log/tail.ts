// The last lines of the log, for the diagnostics. They pass through to where the log goes.
import type { LogSink } from './options.js'

const LINES_MAX = 500
const LENGTH_MAX = 8 * 1024

export class LogTail implements LogSink {
  readonly #sink: LogSink
  /** A ring: the oldest line is at `#next`, once it is full. */
  readonly #lines: string[] = []
  #next = 0
  #follow: ((line: string) => void) | undefined

  constructor(sink: LogSink) {
    this.#sink = sink
  }

  write(line: string): void {
    this.#sink.write(line)
    this.#follow?.(line)
    // A longer line would be no JSON if it were cut.
    if (line.length > LENGTH_MAX) return
    this.#lines[this.#next] = line
    this.#next = (this.#next + 1) % LINES_MAX
  }

  /** Gives those that are kept and all that come to `listener`, too. There is one. */
  follow(listener: (line: string) => void): void {
    for (const line of this.lines()) listener(line)
    this.#follow = listener
  }

  /** Oldest first, each with its newline. */
  lines(): string[] {
    return [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)]
  }
}
