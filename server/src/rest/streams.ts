// Streams that are under way, and the one budget of them all: how many, and how much of what they hold nobody has read.
import type { FastifyReply } from 'fastify'
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Config } from '../config.js'
import type { LineStream, RecordStream } from '../engines/engine.js'
import { GatewayError } from '../errors.js'
import type { GatewayUse } from '../schemas/gateway.js'

/** What a stream may soon hold, counted from its beginning: four chunks. */
const STREAM_BYTES = 1024 * 1024

type Limits = Pick<Config, 'streamsMax' | 'streamBytesMax' | 'readerPatienceMs'>
/** Only one with a job knows more than how to stop. */
type AnyStream = LineStream & Partial<Pick<RecordStream, 'heldBytes' | 'stalled'>>

interface Lease {
  readonly response: ServerResponse
  stream?: AnyStream
}

export class Streams {
  readonly #limits: Limits
  readonly #open = new Set<Lease>()
  #refused = 0
  #stalled = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /**
   * Starts a stream if there is room for it, for the answer that it goes to: the room is free again when that ends.
   *
   * @throws `too_many_streams`, and as `start`
   */
  async open<T extends AnyStream>(reply: FastifyReply, start: () => T | Promise<T>): Promise<T> {
    this.#checkRoom()
    const lease: Lease = { response: reply.raw }
    this.#open.add(lease)
    try {
      const stream = await start()
      this.#attend(lease, stream)
      return stream
    } catch (error) {
      this.#open.delete(lease)
      throw error
    }
  }

  figures(): GatewayUse['streams'] {
    let heldBytes = 0
    for (const lease of this.#open) heldBytes += held(lease)
    return { open: this.#open.size, heldBytes, refused: this.#refused, stalled: this.#stalled }
  }

  #checkRoom(): void {
    const { streamsMax, streamBytesMax } = this.#limits
    // The number first: a refusal must not cost a look at every stream.
    if (this.#open.size >= streamsMax) this.#refuse(`${streamsMax} streams are open already`)
    let bytes = 0
    for (const lease of this.#open) bytes += Math.max(held(lease), STREAM_BYTES)
    if (bytes + STREAM_BYTES > streamBytesMax)
      this.#refuse(`the streams that are open hold up to ${bytes} of ${streamBytesMax} bytes`)
  }

  #refuse(why: string): never {
    this.#refused += 1
    throw new GatewayError('too_many_streams', `${why}; wait until one has ended`)
  }

  #attend(lease: Lease, stream: AnyStream): void {
    const { response } = lease
    lease.stream = stream
    // The client may have gone while the stream was being opened.
    if (response.destroyed) {
      this.#open.delete(lease)
      return
    }
    response.once('close', () => this.#open.delete(lease))
    const { readerPatienceMs } = this.#limits
    if (readerPatienceMs === 0 || !(response.socket instanceof Socket)) return
    // The socket's clock starts anew with every byte that the client takes.
    response.setTimeout(readerPatienceMs, () => {
      // With nothing unread it is not the client that is waited for.
      if (response.writableLength > 0) this.#end(lease)
    })
  }

  #end({ response, stream }: Lease): void {
    this.#stalled += 1
    const message = `the reader has read nothing for ${this.#limits.readerPatienceMs} ms`
    if (stream?.stalled === undefined) stream?.abort()
    else stream.stalled(message)
    response.destroy()
  }
}

const held = ({ response, stream }: Lease): number => response.writableLength + (stream?.heldBytes?.() ?? 0)
