import type { SentParts } from './calls'

/** Quotes for a POSIX shell. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

export interface CurlParts extends SentParts {
  method: string
  path: string
  origin: string
  /** where the server keeps its token; unset: not known yet */
  dataDirectory?: string | undefined
  /** what the shell is to put in place of the administrator token */
  token?: string | undefined
}

/** The same call as one line of curl. It reads the token from the data directory, so that is never shown. Files are streamed. */
export function toCurl({ method, path, origin, body, file, headers = {}, ...access }: CurlParts): string {
  const { dataDirectory = 'data', token = `$(cat ${shellQuote(`${dataDirectory}/admin.token`)})` } = access
  const all = body === undefined ? headers : { 'Content-Type': 'application/json', ...headers }
  // Show lines and events as they arrive.
  const parts = ['curl', /ndjson|event-stream/.test(headers['Accept'] ?? '') ? '-sN' : '-s']
  if (file !== undefined) parts.push('-T', shellQuote(file))
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) parts.push('-X', method)
  parts.push('-H', `"Authorization: Bearer ${token}"`)
  for (const [name, value] of Object.entries(all)) parts.push('-H', shellQuote(`${name}: ${value}`))
  if (body !== undefined) parts.push('--data-binary', shellQuote(body))
  parts.push(shellQuote(origin + path))
  return parts.join(' ')
}
