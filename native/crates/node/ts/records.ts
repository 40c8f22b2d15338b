// Calls on one record: their key crosses as a value, and whether it is a digest.
import type {
  NativeFailure,
  NativeStore,
  RecordDelete,
  RecordForm,
  RecordOperate,
  RecordWrite,
  WriteResult,
} from '#addon'

/** A record's key as callers name it. */
export type KeyInput =
  | { type: 'string'; value: string }
  | { type: 'integer'; value: bigint }
  | { type: 'bytes' | 'digest'; value: Buffer }

type Found = NativeFailure | Buffer | null

/** Where the addon writes the answer to a small read. Both sides are done with it before anything else runs. */
const scratch = Buffer.allocUnsafeSlow(32 * 1024)

function copyOfScratch(length: number): Buffer {
  const copy = Buffer.allocUnsafe(length)
  scratch.copy(copy, 0, 0, length)
  return copy
}

/** Whether a read is one of those that have a way of their own. */
const isPlain = ({ shape, bins, route, where }: RecordForm): boolean =>
  bins === undefined && route === undefined && where === undefined && (shape === 'record' || shape === 'v1')

/** A read of memory answers at once; everything else later. */
export class Records {
  readonly #native: NativeStore

  constructor(native: NativeStore) {
    this.#native = native
  }

  /** One record in the shape that is wanted; null when there is none. */
  getRecord(namespace: string, set: string, key: KeyInput, form: RecordForm): Found | Promise<Found> {
    if (key.type !== 'string' || !isPlain(form))
      return this.#native.getRecord(namespace, set, key.value, key.type === 'digest', form)
    const found = this.#native.readRecord(namespace, set, key.value, form.shape === 'v1', scratch)
    if (typeof found !== 'number') return found
    return found < 0 ? null : copyOfScratch(found)
  }

  async putRecord(
    namespace: string,
    set: string,
    key: KeyInput,
    bins: Buffer,
    options: RecordWrite,
  ): Promise<NativeFailure | WriteResult> {
    return this.#native.putRecord(namespace, set, key.value, key.type === 'digest', bins, options)
  }

  async putPlain(
    namespace: string,
    set: string,
    key: string,
    bin: string,
    bytes: Buffer,
  ): Promise<NativeFailure | WriteResult> {
    return this.#native.putPlain(namespace, set, key, bin, bytes)
  }

  async deleteRecord(
    namespace: string,
    set: string,
    key: KeyInput,
    options: RecordDelete,
  ): Promise<NativeFailure | boolean> {
    return this.#native.deleteRecord(namespace, set, key.value, key.type === 'digest', options)
  }

  async operateRecord(
    namespace: string,
    set: string,
    key: KeyInput,
    operations: Buffer,
    form: RecordOperate,
  ): Promise<Found> {
    return this.#native.operateRecord(namespace, set, key.value, key.type === 'digest', operations, form)
  }
}
