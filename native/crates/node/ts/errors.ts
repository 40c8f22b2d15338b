// Failures of the addon as errors. It returns them as values; it throws only for arguments of the wrong type and for its
// own bugs.
import { errorCodes as list, type NativeFailure } from '#addon'

/** Every code that a `StoreError` can carry. */
export const errorCodes: readonly string[] = list()

/** A message of the core in the ICU format, and its values. */
export interface SaidMessage {
  message: string
  values: Record<string, string | number | SaidMessage>
}

/** The core writes it as JSON. */
export const saidIn = (json: string): SaidMessage => JSON.parse(json) as SaidMessage

/** What the store refused or could not do. `code` is stable; `message` may be reworded. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: string
  /** The request field at fault. */
  readonly field?: string
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  /** What `message` was made of. Unset if it has no values. */
  readonly said?: SaidMessage

  constructor(failure: Omit<NativeFailure, 'nativeFailure'>, options?: ErrorOptions) {
    super(failure.message, options)
    this.code = failure.code
    this.retryable = failure.retryable
    if (failure.field !== undefined) this.field = failure.field
    if (failure.said !== undefined) this.said = saidIn(failure.said)
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
