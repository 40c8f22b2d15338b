// A connection as HTTP/2 reads and writes it: over JavaScript. Node can let HTTP/2 use the connection's handle itself. Then a
// write that TLS never ends lets an assertion fail, and the process is gone: streams that are opened and reset did that
// (https://github.com/nodejs/node/issues/55804). Here each write waits for the one before it, whatever becomes of that.
import { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { Frames } from './frames.js'

type Done = (error?: Error | null) => void

/** Streams that a turn of the event loop may begin. */
const STREAMS_A_TURN = 16

/** How long a connection stays after its end, so that its client reads the last frames. */
const LINGER_MS = 2000

/**
 * A turn of the event loop reads at most one encrypted record, 16 KiB, with few streams. So others are served between those of
 * a flood. It reads nothing behind the end of a stream either: until the next turn Node counts that stream as open, and would
 * refuse another to a client with as many as it may have.
 */
export class Relay extends Duplex {
  readonly #client: TLSSocket
  readonly #frames = new Frames(STREAMS_A_TURN)

  constructor(client: TLSSocket) {
    super({ allowHalfOpen: true })
    this.#client = client
    client.pause().on('data', (piece: Buffer) => {
      client.pause()
      const end = this.#frames.partOf(piece)
      if (end < piece.length) client.unshift(piece.subarray(end))
      this.push(piece.subarray(0, end))
    })
    client.once('end', () => this.push(null))
    client.on('error', (error) => this.destroy(error))
    client.once('close', () => this.destroy())
  }

  override _read(): void {
    setImmediate(() => this.#client.resume())
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#client.write(chunk, done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this.#client.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  /** Node waits for the client to close, too. A client that does not would keep its connection for ever. */
  override _final(done: Done): void {
    this.#client.end(() => {
      setTimeout(() => this.#client.destroy(), LINGER_MS).unref()
      done()
    })
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#client.destroy()
    done(error)
  }
}
