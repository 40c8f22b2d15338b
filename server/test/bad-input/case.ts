// A case of bad input, and the words that the tables share.

export type Headers = Record<string, string>
export type Case = [
  line: string,
  status: number,
  code: string,
  body?: string | Buffer | object | null,
  headers?: Headers,
]

export const json = { 'content-type': 'application/json' }
export const ndjson = { 'content-type': 'application/x-ndjson' }
export const csv = { 'content-type': 'text/csv' }
export const msgpack = { 'content-type': 'application/msgpack' }
export const gzip = { ...csv, 'content-encoding': 'gzip' }
export const zstd = { ...csv, 'content-encoding': 'zstd' }

export const NS = '/api/v1/namespaces'
/** The namespace that is there. */
export const N = `${NS}/good`
export const R = `${N}/sets/users/records`
export const W = `${N}/records`
export const memory = { engine: 'memory' }
export const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
export const long = (length: number) => 'n'.repeat(length)
