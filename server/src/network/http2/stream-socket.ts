// A connection in memory, for one request of HTTP/2: the server reads and writes `StreamSocket`, and its stream the far end.
import { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** An answer passes in pieces of so many bytes, so that it is seen how much of it is left. */
const PIECE_BYTES = 16 * 1024

type Done = (error?: Error | null) => void
interface Chunk {
  chunk: Buffer | string
  encoding: BufferEncoding
}

/** What a client looks like to the server, whichever of its streams it is. */
export interface Client {
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly localPort: number | undefined
}

/** The end of the server. For the server it is an encrypted connection of `client`. */
export class StreamSocket extends Socket {
  readonly encrypted = true
  readonly alpnProtocol = 'http/1.1'
  readonly far: Duplex
  #received = 0
  /** What the far end has not taken of the last write. */
  #pieces: Buffer[] = []
  #passed = 0
  #written: Done | undefined
  /** To call when the server wants more of the request. */
  #wants: Done | undefined
  #ended: Done | undefined
  #cut = false

  constructor(client: Client) {
    super({ allowHalfOpen: true })
    // Node has these on the prototype, and its types have them as fields.
    Object.defineProperties(this, {
      remoteAddress: { value: client.remoteAddress },
      remotePort: { value: client.remotePort },
      localPort: { value: client.localPort },
      bytesRead: { get: () => this.#received },
    })
    this.far = new Duplex({
      read: () => this.#pass(),
      write: (chunk: Buffer, _encoding, done) => this.#receive(chunk, done),
      final: (done) => {
        if (!this.destroyed) this.push(null)
        done()
      },
      destroy: (error, done) => {
        this.destroy()
        done(error)
      },
    })
    // Its failure is that of the request behind it, which reports it.
    this.on('error', () => this.destroy())
  }

  /** Bytes of the answer that the stream has not taken. */
  get unsent(): number {
    return this.writableLength - this.#passed
  }

  override _read(): void {
    const wants = this.#wants
    this.#wants = undefined
    wants?.()
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: Done): void {
    this.#take([{ chunk, encoding }], done)
  }

  override _writev(chunks: Chunk[], done: Done): void {
    this.#take(chunks, done)
  }

  /** It counts as a connection until its stream has closed. */
  override _final(done: Done): void {
    this.#ended = done
    this.far.push(null)
  }

  /** The stream has closed. */
  release(): void {
    this.#ended?.()
    this.destroy()
  }

  /** Ends the stream, too, although its answer may be whole. */
  cutOff(): void {
    this.#cut = true
    this.destroy()
  }

  get isCut(): boolean {
    return this.#cut
  }

  override _destroy(error: Error | null, done: Done): void {
    const wants = this.#wants
    this.#wants = undefined
    this.#pieces = []
    // An answer that is whole stays to be read, and what comes behind it is dropped.
    if (this.#ended === undefined) this.far.destroy()
    // oxlint-disable-next-line no-underscore-dangle -- Node's own end of a socket
    super._destroy(error, done)
    wants?.()
  }

  #receive(chunk: Buffer, done: Done): void {
    if (this.destroyed) return done()
    this.#received += chunk.length
    this.#seen()
    if (this.push(chunk)) done()
    else this.#wants = done
  }

  #take(chunks: Chunk[], done: Done): void {
    this.#pieces = chunks.map(({ chunk, encoding }) =>
      typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk,
    )
    this.#written = done
    this.#pass()
  }

  #pass(): void {
    for (let [piece] = this.#pieces; piece !== undefined; [piece] = this.#pieces) {
      const rest = piece.subarray(PIECE_BYTES)
      if (rest.length === 0) this.#pieces.shift()
      else this.#pieces[0] = rest
      const part = piece.subarray(0, PIECE_BYTES)
      this.#passed += part.length
      this.#seen()
      if (!this.far.push(part)) break
    }
    if (this.#pieces.length > 0) return
    const written = this.#written
    this.#written = undefined
    this.#passed = 0
    written?.()
  }

  /** A timer of the server begins anew with every byte, as that of other connections does. */
  #seen(): void {
    if (this.timeout !== undefined && this.timeout > 0) this.setTimeout(this.timeout)
  }
}
