import { type ImportReport, letGo, type NativeImport } from '#addon'
import { call, callLater } from './errors.js'

/** A bulk load under way. */
export class ImportSession {
  readonly #native: NativeImport
  readonly jobId: string

  constructor(native: NativeImport) {
    this.#native = native
    this.jobId = native.jobId
  }

  /**
   * Takes a chunk, cut anywhere; resolves when there is room for more. `spare`: nobody reads the chunk any more, so its
   * memory is freed here, unless it is part of a larger piece.
   */
  async write(chunk: Buffer, spare = false): Promise<void> {
    await callLater(() => {
      const room = this.#native.write(chunk)
      const { buffer } = chunk
      if (spare && buffer instanceof ArrayBuffer && chunk.byteLength === buffer.byteLength) letGo(buffer)
      return room
    })
  }

  /** Says that the stream is complete; resolves when every row is stored. */
  finish(): Promise<ImportReport> {
    return callLater(() => this.#native.finish())
  }

  /** Rows inserted and updated so far. */
  storedRows(): number {
    return call(() => this.#native.storedRows())
  }

  /** Says that the upload broke off: the job is shown as paused until `release`. */
  hold(): void {
    call(() => this.#native.hold())
  }

  /** Says that the upload goes on. */
  release(): void {
    call(() => this.#native.release())
  }

  /** Stops because the server does: the same stream, sent again, goes on where this one was. */
  interrupt(): void {
    call(() => this.#native.interrupt())
  }

  /** Stops at once. Rows that were stored stay. */
  abort(): void {
    call(() => this.#native.abort())
  }
}
