// Of the forms that a stream of records has, the one that a request wants most.
import type { FastifyRequest } from 'fastify'
import { wanted } from '../plugins/headers.js'

export const LINES = 'application/x-ndjson'
export const CSV = 'text/csv'

/** Records in a JSON answer whose request names no limit. */
export const PAGE_DEFAULT = 1000

export const wantsLines = (request: FastifyRequest) => preferred(request) === LINES
export const wantsCsv = (request: FastifyRequest) => preferred(request) === CSV

/** What is wanted most; of what is wanted alike, what is named more closely. Lines come only by their name. */
function preferred({ headers: { accept = '*/*' }, routeOptions }: FastifyRequest): string {
  const forms = [LINES, 'application/json', CSV].filter((media) => routeOptions.config.produces?.includes(media))
  const all = forms.map((media) => ({ media, ...wanted(accept, media) }))
  const [first] = all
    .filter(({ media, named }) => media !== LINES || named === NAMED_ITSELF)
    .toSorted((a, b) => b.q - a.q || b.named - a.named)
  return first?.media ?? 'application/json'
}

/** Of `Wanted`. */
const NAMED_ITSELF = 3
