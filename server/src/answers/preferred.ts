// Chooses the format of a stream of records that a request prefers.
import type { FastifyRequest } from 'fastify'
import { wanted } from '../requests/accept.js'

export const LINES = 'application/x-ndjson'
export const CSV = 'text/csv'
export const JSON_TYPE = 'application/json'
export const PACKED = 'application/msgpack'
/** Values of MessagePack, one after another: what NDJSON is to JSON. */
export const SEQUENCE = 'application/msgpack-seq'

const PACKED_NAME = /msgpack/i

/** Records in a JSON answer without a limit. */
export const PAGE_DEFAULT = 1000

export const wantsLines = (request: FastifyRequest) => preferred(request) === LINES
/** Nearly no client does, so that the header is read only if it names the type. */
export const wantsPacked = (request: FastifyRequest) =>
  PACKED_NAME.test(request.headers.accept ?? '') && preferred(request) === PACKED
export const wantsCsv = (request: FastifyRequest) => preferred(request) === CSV
export const wantsSequence = (request: FastifyRequest) => preferred(request) === SEQUENCE

/** The format with the highest quality; if equal, the one named more exactly. Streams and MessagePack only if they are named. */
function preferred({ headers: { accept = '*/*' }, routeOptions }: FastifyRequest): string {
  const forms = [LINES, JSON_TYPE, CSV, PACKED, SEQUENCE].filter((media) =>
    routeOptions.config.produces?.includes(media),
  )
  const all = forms.map((media) => ({ media, ...wanted(accept, media) }))
  const [first] = all
    .filter(({ media, named }) => media === JSON_TYPE || media === CSV || named === NAMED_ITSELF)
    .toSorted((a, b) => b.q - a.q || b.named - a.named)
  return first?.media ?? JSON_TYPE
}

/** Of `Wanted`. */
const NAMED_ITSELF = 3
