// Where frames of HTTP/2 end (RFC 9113, section 4.1: 9 bytes of head, the first three of them the length of the rest).

const PREFACE_BYTES = 24
const HEAD_BYTES = 9
const HEADERS = 1
const RST_STREAM = 3

/** Cuts what a client sends into parts of few streams. It sees all bytes once, in their order, in pieces of any length. */
export class Frames {
  readonly #most: number
  /** Bytes of the preface, or of the frame after its head, that are still to come. */
  #left = PREFACE_BYTES
  #head = Buffer.alloc(HEAD_BYTES)
  /** Bytes of the next head that have come. */
  #known = 0
  #isReset = false

  /** `most`: streams that a part may begin. */
  constructor(most: number) {
    this.#most = most
  }

  /** Bytes of `piece` that are one part: up to a stream too many, or through the first frame that ends a stream. */
  partOf(piece: Buffer): number {
    let begun = 0
    let at = 0
    while (at < piece.length) {
      const passed = Math.min(this.#left, piece.length - at)
      at += passed
      this.#left -= passed
      if (this.#left > 0) break
      if (this.#isReset) {
        this.#isReset = false
        break
      }
      const start = at
      at += piece.copy(this.#head, this.#known, at, at + HEAD_BYTES - this.#known)
      this.#known += at - start
      if (this.#known < HEAD_BYTES) break
      this.#known = 0
      const type = this.#head[3]
      if (type === HEADERS) begun += 1
      // Its head is whole in this piece: others came before it.
      if (begun > this.#most) return start
      this.#left = this.#head.readUIntBE(0, 3)
      this.#isReset = type === RST_STREAM && this.#left > 0
    }
    return at
  }
}
