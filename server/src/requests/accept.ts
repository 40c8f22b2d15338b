// Reads the Accept header.

/** Whether an Accept header allows one of the media types. */
export const accepts = (accept: string, produces: readonly string[]): boolean =>
  produces.some((media) => wanted(accept, media).q > 0)

/**
 * Quality of a media type, 0 (not acceptable) to 1, and how exactly it is named: 0 not, 1 by any
 * type, 2 by `type/*`, 3 itself.
 */
export interface Wanted {
  q: number
  named: number
}

/** Uses the most specific range that matches the media type (RFC 9110, 12.5.1). An empty header means any type. */
export function wanted(accept: string, media: string): Wanted {
  const names = ['*/*', `${media.slice(0, media.indexOf('/'))}/*`, media]
  let best: Wanted = { q: 0, named: 0 }
  for (const range of (accept.trim() || '*/*').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const named = names.indexOf(type) + 1
    if (named > best.named) best = { q: qualityOf(parameters), named }
  }
  return best
}

/** A quality that is not a number is ignored. */
function qualityOf(parameters: string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return given !== undefined && /^(0|1)(\.\d*)?$/.test(given) ? Math.min(Number(given), 1) : 1
}
