// Open streams and their shared budget: their number, and the unread data that they hold.
import type { FastifyReply } from 'fastify'
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Config } from '../config.js'
import type { LineStream, RecordStream } from '../engines/engine.js'
import { GatewayError } from '../errors.js'
import type { GatewayUse } from '../schemas/server/gateway.js'
import { say, type Sentence } from '../sentences/sentence.js'

/** Bytes that a new stream counts as at least, because it may soon hold them: four chunks. */
const STREAM_BYTES = 1024 * 1024

type Limits = Pick<Config, 'streamsMax' | 'streamBytesMax' | 'readerPatienceMs'>
/** Streams without a job can only stop. */
type AnyStream = Pick<LineStream, 'abort'> & Partial<Pick<RecordStream, 'heldBytes' | 'stalled'>>

interface Lease {
  readonly response: ServerResponse
  stream?: AnyStream
}

export class Streams {
  readonly #limits: Limits
  readonly #open = new Set<Lease>()
  readonly #answers = new WeakSet<ServerResponse>()
  #refused = 0
  #stalled = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /**
   * Starts a stream for an answer if there is room. The room is free again when the answer ends.
   *
   * @throws `too_many_streams`, and as `start`
   */
  async open<T extends AnyStream>(reply: FastifyReply, start: () => T | Promise<T>): Promise<T> {
    this.#checkRoom()
    const lease: Lease = { response: reply.raw }
    this.#open.add(lease)
    this.#answers.add(reply.raw)
    try {
      const stream = await start()
      this.#attend(lease, stream)
      return stream
    } catch (error) {
      this.#open.delete(lease)
      throw error
    }
  }

  /** Whether it is the answer of an open stream, which is bounded here. */
  has(response: ServerResponse): boolean {
    return this.#answers.has(response)
  }

  figures(): GatewayUse['streams'] {
    let heldBytes = 0
    for (const lease of this.#open) heldBytes += held(lease)
    return { open: this.#open.size, heldBytes, refused: this.#refused, stalled: this.#stalled }
  }

  #checkRoom(): void {
    const { streamsMax, streamBytesMax } = this.#limits
    // Check the number first: a refusal must not cost a walk over all streams.
    if (this.#open.size >= streamsMax)
      this.#refuse(say('all {streamsMax} streams are in use; wait until a stream ends', { streamsMax }))
    let bytes = 0
    for (const lease of this.#open) bytes += Math.max(held(lease), STREAM_BYTES)
    if (bytes + STREAM_BYTES > streamBytesMax)
      this.#refuse(
        say('open streams may hold {bytes} of {streamBytesMax} bytes; wait until a stream ends', {
          bytes,
          streamBytesMax,
        }),
      )
  }

  #refuse(why: Sentence): never {
    this.#refused += 1
    throw new GatewayError('too_many_streams', why)
  }

  #attend(lease: Lease, stream: AnyStream): void {
    const { response } = lease
    lease.stream = stream
    // The client may have disconnected while the stream was opened.
    if (response.destroyed) {
      this.#open.delete(lease)
      return
    }
    response.once('close', () => this.#open.delete(lease))
    const { readerPatienceMs } = this.#limits
    if (readerPatienceMs === 0 || !(response.socket instanceof Socket)) return
    // The socket's timer restarts with every byte that the client reads.
    response.setTimeout(readerPatienceMs, () => {
      // With nothing unread, the server does not wait for the client.
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
