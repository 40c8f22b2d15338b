// Failures of the addon as errors. It returns them as values; it throws only for arguments of the wrong type and for its
// own bugs.
import { errorCodes as list, type NativeFailure } from '#addon'

/** Every code that a `StoreError` can carry. */
export const errorCodes: readonly string[] = list()

/** What the store refused or could not do. `code` is stable; `message` may be reworded. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: string
  /** The request field at fault. */
  readonly field?: string
  /** Whether the same call may succeed later. */
  readonly retryable: boolean

  constructor(failure: Omit<NativeFailure, 'nativeFailure'>, options?: ErrorOptions) {
    super(failure.message, options)
    this.code = failure.code
    this.retryable = failure.retryable
    if (failure.field !== undefined) this.field = failure.field
  }
}

export function isFailure(answer: object): answer is NativeFailure {
  return (answer as Partial<NativeFailure>).nativeFailure === true
}

/** Codes with which napi refuses an argument, such as `StringExpected`. */
const REFUSED = /^InvalidArg$|Expected$/

export function fromException(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const { code, message } = error as { code?: string; message?: string }
  const refused = code === undefined ? error instanceof TypeError : REFUSED.test(code)
  return new StoreError(
    { code: refused ? 'config_invalid' : 'internal', message: message ?? String(error), retryable: false },
    { cause: error },
  )
}
