import type { ImportReport, NativeImport } from '#addon'
import { call, callLater } from './errors.js'

/** A bulk load under way. */
export class ImportSession {
  readonly #native: NativeImport
  readonly jobId: string

  constructor(native: NativeImport) {
    this.#native = native
    this.jobId = native.jobId
  }

  /** Takes a chunk, cut anywhere; resolves when there is room for more. */
  async write(chunk: Buffer): Promise<void> {
    await callLater(() => this.#native.write(chunk))
  }

  /** Says that the stream is complete; resolves when every row is stored. */
  finish(): Promise<ImportReport> {
    return callLater(() => this.#native.finish())
  }

  /** Stops at once. Rows that were stored stay. */
  abort(): void {
    call(() => this.#native.abort())
  }
}
