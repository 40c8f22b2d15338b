// Writes log lines to a file, pipe or terminal that is already open. A full disk or a stalled reader loses lines but never
// blocks the gateway: nothing here waits, throws or grows without bound. (pino's own destination
// waits, at exit forever.)
import { constants, fstatSync, openSync, write, writeSync } from 'node:fs'

/** Most characters of waiting lines; more lines are dropped. */
export const WAITING_MAX = 1024 * 1024
const AGAIN_MS = 20

export class LogLines {
  readonly #fd: number
  #waiting: string[] = []
  #waitingLength = 0
  #writing = false
  #dropped = 0

  constructor(fd: number) {
    this.#fd = unblocked(fd)
    process.once('exit', () => this.#last())
  }

  /** Lines that could not be written so far. */
  get dropped(): number {
    return this.#dropped
  }

  /** One line, with its newline. */
  write(line: string): void {
    if (this.#waitingLength + line.length > WAITING_MAX) {
      this.#dropped += 1
      return
    }
    this.#waiting.push(line)
    this.#waitingLength += line.length
    if (!this.#writing) this.#next()
  }

  #next(): void {
    const lines = this.#take()
    this.#writing = lines.length > 0
    if (this.#writing) this.#rest(Buffer.from(lines.join('')), lines.length)
  }

  /** Writes the rest of the waiting lines. */
  #rest(bytes: Buffer, lines: number): void {
    write(this.#fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') {
        setTimeout(() => this.#rest(bytes, lines), AGAIN_MS).unref()
        return
      }
      if (error !== null) this.#dropped += lines
      else if (written < bytes.length) return this.#rest(bytes.subarray(written), lines)
      this.#next()
    })
  }

  #take(): string[] {
    const lines = this.#waiting
    this.#waiting = []
    this.#waitingLength = 0
    return lines
  }

  /** At exit, writes the waiting lines if it can. */
  #last(): void {
    try {
      writeSync(this.#fd, this.#take().join(''))
    } catch {
      // There is nobody to report this to.
    }
  }
}

/** Reopens a pipe for non-blocking writes: a blocking write would hold up even the exit. */
function unblocked(fd: number): number {
  try {
    if (fstatSync(fd).isFIFO()) return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    // Not Linux, or closed.
  }
  return fd
}

/** The log of this process: its standard output. */
export const logLines = new LogLines(1)
