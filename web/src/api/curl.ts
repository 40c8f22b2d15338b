/** Quotes for a POSIX shell. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

export interface CurlParts {
  method: string
  path: string
  origin: string
  body?: string | undefined
  headers?: Record<string, string> | undefined
  /** reads a streamed answer as it comes */
  stream?: boolean | undefined
}

/** The same call as one line of curl; the token is read from the data directory, never printed. */
export function toCurl({ method, path, origin, body, headers = {}, stream = false }: CurlParts): string {
  const parts = ['curl', stream ? '-sN' : '-s']
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) parts.push('-X', method)
  parts.push('-H', '"Authorization: Bearer $(cat data/admin.token)"')
  for (const [name, value] of Object.entries(headers)) parts.push('-H', shellQuote(`${name}: ${value}`))
  if (body !== undefined) {
    parts.push('-H', shellQuote(`Content-Type: ${contentTypeOf(headers)}`), '--data-binary', shellQuote(body))
  }
  parts.push(shellQuote(origin + path))
  return parts.join(' ')
}

function contentTypeOf(headers: Record<string, string>): string {
  return headers['Content-Type'] ?? 'application/json'
}
