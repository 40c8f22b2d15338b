// Reads bodies as bytes, with limits on size and time. A body is complete or refused.
import type { FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { GatewayError } from '../errors.js'
import { FREE_BYTES, takeRoom } from './room.js'

/** Bytes that a body of unknown length reserves at once. */
const ROOM_STEP = 1024 * 1024

interface BodyRules {
  limit: number
  timeoutMs: number
  /** Whether the body counts against the memory budget of all requests. */
  counted: boolean
}

/**
 * Reads a whole body.
 *
 * @throws GatewayError `body_too_large`, `body_truncated`, `body_timeout`, `encoding_unsupported`, `memory_busy`
 */
export async function readBody(request: FastifyRequest, payload: Readable, rules: BodyRules): Promise<Buffer> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new GatewayError('encoding_unsupported', `this route does not support Content-Encoding, got ${encoding}`, {
      field: 'content-encoding',
    })
  }
  const tooLarge = () => new GatewayError('body_too_large', `the body must be at most ${rules.limit} bytes`)
  const truncated = () => new GatewayError('body_truncated', 'the connection closed before the whole body arrived')
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > rules.limit) throw tooLarge()
  let room = rules.counted ? FREE_BYTES : Number.POSITIVE_INFINITY
  if (announced > room) {
    await takeRoom(request, announced)
    if (payload.destroyed) throw truncated()
    room = announced
  }

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const timer = setTimeout(() => {
      finish(() => reject(new GatewayError('body_timeout', `the body did not arrive within ${rules.timeoutMs} ms`)))
    }, rules.timeoutMs)
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      payload.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken)
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
      payload.pause()
      try {
        await takeRoom(request, ROOM_STEP)
        room += ROOM_STEP
        payload.resume()
      } catch (error) {
        finish(() => reject(error as Error))
      }
    }
    const onEnd = () => {
      const [first] = chunks
      finish(() => resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length)))
    }
    const onBroken = () => finish(() => reject(truncated()))
    payload.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken)
  })
}
