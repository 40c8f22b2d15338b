// Answers are compressed for clients that ask for it. Live events are not: they go out as they come.
import fastifyCompress from '@fastify/compress'
import type { onSendHookHandler } from 'fastify'
import { Readable, type Transform } from 'node:stream'
import zlib, { constants } from 'node:zlib'
import type { App } from '../app-types.js'

/** Bytes from which on an answer is smaller by more than it costs. */
const LEAST = 2048
/** Answers up to so many bytes are compressed at once, without a stream. */
const AT_ONCE = 16 * 1024
/** Beside those that the plugin knows. MessagePack goes as it is. */
const TEXT = /^(text\/(?!event-stream)|application\/((.*\+)?json|x-ndjson|jsonl)\b)/

const ZSTD_FLUSH = 1

const { createZstdCompress } = zlib as { createZstdCompress?: (options: { flush: number }) => Transform }
const zstd = createZstdCompress && { createZstdCompress: () => createZstdCompress({ flush: ZSTD_FLUSH }) }

/** Compressors of answers that are on their way. Each holds up to 2 MiB, as long as its client takes to read. */
const MOST = 64

/** Has to come before the routes, and behind whatever keeps answers. */
export async function compressAnswers(app: App, most = MOST): Promise<void> {
  let open = 0
  await app.register(fastifyCompress, {
    globalDecompression: false,
    threshold: LEAST,
    syncThreshold: AT_ONCE,
    customTypes: TEXT,
    // Node has zstd from 22.15 on, with flags of its own.
    encodings: ['zstd', 'br', 'gzip'],
    zlib: { ...zlib, ...zstd },
    // Each piece of a stream can be read when it comes. The window bounds the memory of each stream.
    brotliOptions: {
      flush: constants.BROTLI_OPERATION_FLUSH,
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
    },
    zlibOptions: { flush: constants.Z_SYNC_FLUSH, level: 4 },
  })
  app.addHook('onRoute', (route) => {
    // The plugin has put its own hook last. It reads headers of every answer before it sees that one stays as it is.
    const hooks = [route.onSend ?? []].flat()
    const compress = hooks.pop() as onSendHookHandler | undefined
    if (compress === undefined) return
    const compressSome: onSendHookHandler = function (request, reply, payload, done) {
      if (request.headers['accept-encoding'] === undefined || isSmall(payload) || reply.raw.destroyed) return done()
      if (needsCompressor(payload)) {
        if (open >= most) return done()
        open += 1
        reply.raw.once('close', () => {
          open -= 1
        })
      }
      compress.call(this, request, reply, payload, done)
    }
    route.onSend = [...hooks, compressSome]
  })
}

/** Length of a text or of bytes; undefined: a stream, or nothing. */
const lengthOf = (payload: unknown): number | undefined =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : undefined

const isSmall = (payload: unknown): boolean => (lengthOf(payload) ?? LEAST) < LEAST

const needsCompressor = (payload: unknown): boolean => payload instanceof Readable || (lengthOf(payload) ?? 0) > AT_ONCE
