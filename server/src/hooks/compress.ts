// Answers are compressed for clients that ask for it. Live events are not: they go out as they come.
import fastifyCompress from '@fastify/compress'
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
  app.addHook('onSend', ({ headers }, { raw }, payload, done) => {
    if (headers['accept-encoding'] === undefined || raw.destroyed || !needsCompressor(payload)) return done()
    // The plugin leaves out what has this header.
    if (open >= most) headers['x-no-compression'] = 'busy'
    else {
      open += 1
      raw.once('close', () => {
        open -= 1
      })
    }
    done()
  })
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
}

const needsCompressor = (payload: unknown): boolean =>
  payload instanceof Readable || ((typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > AT_ONCE)
