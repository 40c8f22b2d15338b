// The only place that throws. The addon returns failures as values; here they become one class of error.
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

function isFailure(result: unknown): result is NativeFailure {
  return typeof result === 'object' && result !== null && (result as Partial<NativeFailure>).nativeFailure === true
}

/** The result, or throws the failure. */
export function unwrap<T>(result: NativeFailure | T): T {
  if (isFailure(result)) throw new StoreError(result)
  return result
}

/** Calls the addon. It throws only for arguments of the wrong type and for its own bugs; both become a `StoreError`. */
export function call<T>(run: () => NativeFailure | T): T {
  let result: NativeFailure | T
  try {
    result = run()
  } catch (error) {
    throw fromException(error)
  }
  return unwrap(result)
}

/** As `call`, for what answers later. */
export async function callLater<T>(run: () => NativeFailure | T | Promise<NativeFailure | T>): Promise<T> {
  let result: NativeFailure | T
  try {
    result = await run()
  } catch (error) {
    throw fromException(error)
  }
  return unwrap(result)
}

/** Codes with which napi refuses an argument, such as `StringExpected`. */
const REFUSED = /^InvalidArg$|Expected$/

function fromException(error: unknown): StoreError {
  const { code, message } = error as { code?: string; message?: string }
  const refused = code === undefined ? error instanceof TypeError : REFUSED.test(code)
  return new StoreError(
    { code: refused ? 'config_invalid' : 'internal', message: message ?? String(error), retryable: false },
    { cause: error },
  )
}
