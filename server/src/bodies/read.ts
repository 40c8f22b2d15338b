// Reads bodies as bytes, with limits on size and time. A body is complete or refused.
import type { FastifyRequest } from 'fastify'
import type { Readable, Transform } from 'node:stream'
import { GatewayError } from '../errors.js'
import { inviteBody } from './invite.js'
import { decoderOf, ENCODINGS } from './decompress.js'
import { COPIES, FREE_BYTES, takeRoom } from './room.js'
import { say } from '../sentences/sentence.js'

/** Bytes that a body of unknown length reserves at once. */
const ROOM_STEP = 1024 * 1024

interface BodyRules {
  /** Of the body, and of what it has been compressed from. */
  limit: number
  timeoutMs: number
  /** Whether the body counts against the memory budget of all requests. */
  counted: boolean
  /** Whether it may be compressed. */
  compressed: boolean
}

/**
 * Reads a whole body, and decompresses it.
 *
 * @throws GatewayError `body_too_large`, `body_truncated`, `body_timeout`, `encoding_unsupported`, `encoding_invalid`,
 * `memory_busy`
 */
export async function readBody(request: FastifyRequest, payload: Readable, rules: BodyRules): Promise<Buffer> {
  const tooLarge = () =>
    new GatewayError('body_too_large', say('the body must be at most {most} bytes', { most: rules.limit }))
  const truncated = () => new GatewayError('body_truncated', say('the connection closed before the whole body arrived'))
  const decoder = decoderFor(request, rules)
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > rules.limit) throw tooLarge()
  let room = rules.counted ? FREE_BYTES : Number.POSITIVE_INFINITY
  if (decoder !== undefined) await takeRoom(request, decoder.windowBytes / COPIES)
  else if (announced > room) {
    await takeRoom(request, announced)
    room = announced
  }
  if (payload.destroyed) throw truncated()
  inviteBody(request.raw)
  const opened = decoder?.make()
  const body: Readable = opened === undefined ? payload : payload.pipe(opened)

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const timer = setTimeout(() => {
      finish(() =>
        reject(
          new GatewayError(
            'body_timeout',
            say('the body did not arrive within {timeoutMs} ms', { timeoutMs: rules.timeoutMs }),
          ),
        ),
      )
    }, rules.timeoutMs)
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      body.off('data', onData).off('end', onEnd).off('error', onFault)
      payload.off('error', onBroken).off('close', onClose)
      if (opened !== undefined) endDecoder(payload, opened)
      settle()
    }
    const onData = (chunk: Buffer) => {
      length += chunk.length
      if (length > rules.limit) return finish(() => reject(tooLarge()))
      chunks.push(chunk)
      if (length > room) void makeRoom()
    }
    // Its length is not known, so it reserves memory as it arrives.
    const makeRoom = async () => {
      body.pause()
      try {
        await takeRoom(request, ROOM_STEP)
        room += ROOM_STEP
        body.resume()
      } catch (error) {
        finish(() => reject(error as Error))
      }
    }
    const onEnd = () => {
      const [first] = chunks
      finish(() => resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length)))
    }
    const onBroken = () => finish(() => reject(truncated()))
    // A decoder may still be at work on a body that has come whole.
    const onClose = () => {
      if (opened === undefined || !payload.readableEnded) onBroken()
    }
    const onFault = () =>
      opened === undefined
        ? onBroken()
        : finish(() =>
            reject(new GatewayError('encoding_invalid', say('the body is damaged, or not compressed as it says'))),
          )
    body.on('data', onData).on('end', onEnd).on('error', onFault)
    payload.on('error', onBroken).on('close', onClose)
  })
}

function decoderFor(request: FastifyRequest, { compressed }: BodyRules) {
  const encoding = request.headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return undefined
  const decoder = compressed ? decoderOf(encoding) : undefined
  if (decoder !== undefined) return decoder
  const message = compressed
    ? say('Content-Encoding must be identity or {names}, got {given}', {
        names: ENCODINGS.join(' or '),
        given: encoding.slice(0, 40),
      })
    : say('this route does not support Content-Encoding, got {given}', { given: encoding.slice(0, 40) })
  throw new GatewayError('encoding_unsupported', message, { field: 'content-encoding' })
}

/** What is left is not decompressed any more. */
function endDecoder(payload: Readable, decoder: Transform): void {
  payload.unpipe(decoder)
  // What it was at work on may still fail.
  decoder.on('error', () => undefined)
  decoder.destroy()
}
