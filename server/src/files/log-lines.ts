// Where the lines of the log go: a file, a pipe or a terminal that is already open. A full disk or a reader that stalls costs lines, and
// never the gateway: nothing here waits, throws or grows without bound. (pino's own destination waits, and at an exit for ever.)
import { constants, fstatSync, openSync, write, writeSync } from 'node:fs'

/** Lines that wait are dropped beyond so many characters. */
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

  /** Writes what is left of so many lines. */
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

  /** What waits at an exit is written if it can be. */
  #last(): void {
    try {
      writeSync(this.#fd, this.#take().join(''))
    } catch {
      // There is nobody left to tell.
    }
  }
}

/** A pipe is opened anew for writes that do not wait: one that waits for its reader would hold up even the exit. */
function unblocked(fd: number): number {
  try {
    if (fstatSync(fd).isFIFO()) return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    // Not Linux, or closed.
  }
  return fd
}

/** Those of this process: its standard output. */
export const logLines = new LogLines(1)
