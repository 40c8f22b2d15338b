import type { NativeBatchRead, NativeEvents, NativeStream, StreamSummary } from '#addon'
import { call, callLater } from './errors.js'

/** Records as chunks of whole lines, pulled: a slow reader slows the work down, and memory stays flat. */
export class LineStream<Native extends NativeStream | NativeBatchRead | NativeEvents = NativeBatchRead | NativeEvents> {
  readonly #native: Native

  constructor(native: Native) {
    this.#native = native
  }

  /** The next chunk, or null at the end. One call at a time. */
  next(): Promise<Buffer | null> {
    return callLater(() => this.#native.next())
  }

  /** What the work has done; final once `next` has answered null. */
  summary(): StreamSummary {
    return call(() => this.#native.summary())
  }

  /** Stops the work. */
  abort(): void {
    call(() => this.#native.abort())
  }
}

/** A stream whose work is a job. */
export class RecordStream extends LineStream<NativeStream> {
  readonly jobId: string
  readonly #job: NativeStream

  constructor(native: NativeStream) {
    super(native)
    this.#job = native
    this.jobId = native.jobId
  }

  /** As `abort`, for a reader that does not read: the job fails with `reader_stalled` and this message. */
  stalled(message: string): void {
    call(() => this.#job.stalled(message))
  }

  /** Memory that waits for the reader; if the workers wait as well, with what each of them holds. */
  heldBytes(): number {
    return call(() => this.#job.heldBytes())
  }
}
