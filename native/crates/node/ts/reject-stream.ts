import type { NativeRejects } from '#addon'
import { call, callLater } from './errors.js'

/** Rows that an import did not take, as chunks of whole lines, pulled. */
export class RejectStream {
  readonly #native: NativeRejects

  constructor(native: NativeRejects) {
    this.#native = native
  }

  /** The next chunk, or null at the end. One call at a time. */
  next(): Promise<Buffer | null> {
    return callLater(() => this.#native.next())
  }

  /** Lets the file go; `next` then answers null. */
  close(): void {
    call(() => this.#native.close())
  }
}
