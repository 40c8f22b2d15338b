// Content encodings of bodies that are read whole. What comes out of a decoder has the bounds that a plain body has.
import type { Transform } from 'node:stream'
import zlib, { constants } from 'node:zlib'

interface Decoder {
  make: () => Transform
  /** Most bytes that its window holds. A body reserves them before it is read. */
  windowBytes: number
}

const KIB = 1024
const ZSTD_D_WINDOW_LOG_MAX = 100
/** 8 MiB: what RFC 9659 allows for content. */
const ZSTD_WINDOW_LOG = 23

const { createZstdDecompress } = zlib as {
  createZstdDecompress?: (options: { params: Record<number, number> }) => Transform
}

const decoders = new Map<string, Decoder>([
  ['gzip', { make: () => zlib.createGunzip(), windowBytes: 64 * KIB }],
  // RFC 7932: without the extension for large windows, which stays off.
  [
    'br',
    {
      make: () => zlib.createBrotliDecompress({ params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 0 } }),
      windowBytes: 16 * KIB * KIB,
    },
  ],
])
// Node has it from 22.15 on.
if (createZstdDecompress !== undefined)
  decoders.set('zstd', {
    make: () => createZstdDecompress({ params: { [ZSTD_D_WINDOW_LOG_MAX]: ZSTD_WINDOW_LOG } }),
    windowBytes: 2 ** ZSTD_WINDOW_LOG,
  })

/** Names of encodings as `Content-Encoding` has them. */
export const ENCODINGS: readonly string[] = [...decoders.keys()]

/** The decoder of an encoding; undefined: there is none. Case does not matter (RFC 9110, 8.4.1). */
export const decoderOf = (encoding: string): Decoder | undefined => decoders.get(encoding.trim().toLowerCase())
