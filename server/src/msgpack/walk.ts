// Steps over MessagePack values without reading them: whether the last one is whole, in memory that does not grow with them.

/** Where a walk through a stream of values is. */
export class Walk {
  /** Values that are still to come, with the one that is being stepped over. */
  #values = 0
  /** Bytes of content that are still to come. */
  #content = 0
  /** A head whose other bytes are not there yet. */
  #head: Buffer = EMPTY

  /** Bytes before the piece at hand. */
  #before = 0
  #ends: [number, number, number] = [0, 0, 0]

  /** Where the last whole value begins and ends. */
  get last(): readonly [number, number] {
    return [this.#ends[1], this.#ends[0]]
  }

  get lastButOne(): readonly [number, number] {
    return [this.#ends[2], this.#ends[1]]
  }

  /** Whether the last value is whole. */
  get whole(): boolean {
    return this.#values === 0 && this.#content === 0 && this.#head.length === 0
  }

  /** Steps over the next bytes of the stream. */
  step(piece: Buffer): void {
    const bytes = this.#head.length === 0 ? piece : Buffer.concat([this.#head, piece])
    const begin = this.#before - this.#head.length
    this.#before += piece.length
    this.#head = EMPTY
    let at = 0
    while (at < bytes.length) {
      const skipped = Math.min(this.#content, bytes.length - at)
      at += skipped
      this.#content -= skipped
      if (skipped === 0) {
        const head = headAt(bytes, at)
        if (head === undefined) {
          this.#head = bytes.subarray(at)
          break
        }
        at += head.bytes
        this.#content = head.content
        this.#values = Math.max(this.#values - 1, 0) + head.values
      }
      if (this.#values === 0 && this.#content === 0) this.#ends = [begin + at, this.#ends[0], this.#ends[1]]
    }
  }
}

const EMPTY = Buffer.alloc(0)

interface Head {
  bytes: number
  /** Bytes that follow it. */
  content: number
  /** Values that follow it. */
  values: number
}

/** `undefined`: not all of it is there. */
function headAt(bytes: Buffer, at: number): Head | undefined {
  const marker = bytes[at] ?? 0
  const plain = (content: number): Head => ({ bytes: 1, content, values: 0 })
  const sized = (width: number, more: number): Head | undefined =>
    at + width < bytes.length
      ? { bytes: 1 + width, content: bytes.readUIntBE(at + 1, width) + more, values: 0 }
      : undefined
  const counted = (width: number, each: number): Head | undefined =>
    at + width < bytes.length
      ? { bytes: 1 + width, content: 0, values: bytes.readUIntBE(at + 1, width) * each }
      : undefined
  if (marker < 0x80 || marker >= 0xe0) return plain(0)
  if (marker < 0x90) return { bytes: 1, content: 0, values: 2 * (marker & 0x0f) }
  if (marker < 0xa0) return { bytes: 1, content: 0, values: marker & 0x0f }
  if (marker < 0xc0) return plain(marker & 0x1f)
  if (marker < 0xc4) return plain(0)
  if (marker < 0xc7) return sized(1 << (marker - 0xc4), 0)
  // An extension has a byte for its type.
  if (marker < 0xca) return sized(1 << (marker - 0xc7), 1)
  if (marker < 0xcc) return plain(marker === 0xca ? 4 : 8)
  if (marker < 0xd0) return plain(1 << (marker - 0xcc))
  if (marker < 0xd4) return plain(1 << (marker - 0xd0))
  if (marker < 0xd9) return plain(1 + (1 << (marker - 0xd4)))
  if (marker < 0xdc) return sized(1 << (marker - 0xd9), 0)
  return marker < 0xde ? counted(2 << (marker - 0xdc), 1) : counted(2 << (marker - 0xde), 2)
}
