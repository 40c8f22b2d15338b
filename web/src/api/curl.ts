import type { SentParts } from './calls'

/** Quotes for a POSIX shell. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

export interface CurlParts extends SentParts {
  method: string
  path: string
  origin: string
  /** with the administrator token; unset: the shell has an API token in `TESSERA_TOKEN` */
  tokenFile?: string | undefined
}

/** The same call as one line of curl. It reads the token from its file, so that is never shown. Files are streamed. */
export function toCurl({ method, path, origin, body, file, headers = {}, tokenFile }: CurlParts): string {
  const token = tokenFile === undefined ? '$TESSERA_TOKEN' : `$(cat ${shellQuote(tokenFile)})`
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
