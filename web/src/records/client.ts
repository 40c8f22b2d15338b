import { send } from '../api/client'
import { type Exact, isExactObject, LosslessNumber, parseExact, printExact } from './json'
import { membersOf } from './json-scan'
import { type RecordKey, recordPath, recordsPath } from './key'

// Record calls keep bodies as text, because JavaScript numbers would lose digits.

export interface StoredRecord {
  /** its members, without the bins */
  record: { [name: string]: Exact }
  /** the bins as they came: a JSON object */
  bins: string
  etag: string
}

export async function readRecord(ns: string, set: string, key: RecordKey): Promise<StoredRecord> {
  const response = await send('GET', recordPath(ns, set, key))
  const members = membersOf(await response.text()) ?? []
  // Bins may be megabytes, so they stay text.
  const others = members.filter(([name]) => name !== 'bins').map(([name, value]) => [name, parseExact(value)] as const)
  const [, bins = '{}'] = members.find(([name]) => name === 'bins') ?? []
  return { record: Object.fromEntries(others), bins, etag: response.headers.get('etag') ?? '' }
}

/** The record as it is sent in MessagePack. */
export async function readPacked(ns: string, set: string, key: RecordKey): Promise<Uint8Array> {
  const response = await send('GET', recordPath(ns, set, key), { headers: { Accept: 'application/msgpack' } })
  return new Uint8Array(await response.arrayBuffer())
}

export interface WriteOptions {
  /** replace only this generation */
  etag?: string | undefined
  create?: boolean
  ttlSeconds?: number | undefined
}

export interface WriteCall {
  method: 'PUT'
  path: string
  headers: Record<string, string>
  body: string
}

/** The call that writes all bins; `create` refuses to overwrite. */
export function writeCall(
  ns: string,
  set: string,
  key: RecordKey,
  bins: string,
  { etag, create = false, ttlSeconds }: WriteOptions,
): WriteCall {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  if (create) headers['If-None-Match'] = '*'
  else if (etag !== undefined) headers['If-Match'] = etag
  const path = recordPath(ns, set, key)
  const ttl = ttlSeconds === undefined ? '' : `${path.includes('?') ? '&' : '?'}ttlSeconds=${ttlSeconds}`
  return { method: 'PUT', path: path + ttl, headers, body: bins }
}

export async function writeRecord({ method, path, headers, body }: WriteCall): Promise<void> {
  const response = await send(method, path, { headers, body })
  // Read the body; an unread answer would count as broken off.
  await response.arrayBuffer()
}

export async function deleteRecord(ns: string, set: string, key: RecordKey, etag: string): Promise<void> {
  await send('DELETE', recordPath(ns, set, key), { headers: etag === '' ? {} : { 'If-Match': etag } })
}

export interface RecordPage {
  items: Exact[]
  cursor: string | undefined
  truncated: boolean
}

/** Where a list begins; unset: at the first record. */
export interface Beginning {
  from?: RecordKey | undefined
  segment?: number | undefined
}

export async function readPage(
  ns: string,
  set: string,
  limit: number,
  cursor: string | undefined,
  signal?: AbortSignal,
  { from, segment }: Beginning = {},
): Promise<RecordPage> {
  const query = new URLSearchParams({
    limit: String(limit),
    ...(cursor !== undefined && { cursor }),
    ...(cursor === undefined && from !== undefined && { from: from.text, keytype: from.type }),
    ...(from === undefined && segment !== undefined && { segment: String(segment) }),
  })
  const response = await send('GET', `${recordsPath(ns, set)}?${query}`, { ...(signal && { signal }) })
  const page = parseExact(await response.text())
  if (!isExactObject(page) || !Array.isArray(page['items'])) return { items: [], cursor: undefined, truncated: false }
  return {
    items: page['items'],
    cursor: typeof page['cursor'] === 'string' ? page['cursor'] : undefined,
    truncated: page['truncated'] === true,
  }
}

export interface SegmentPage {
  /** records as JSON text, one each */
  rows: readonly string[]
  cursor: string | undefined
}

export interface ScanCall {
  method: 'POST'
  path: string
  body: string
}

/** The call that reads the records of one segment, a page at a time. */
export function segmentCall(ns: string, segment: number, limit: number, cursor?: string): ScanCall {
  const body = JSON.stringify({ segments: [segment], limit, ...(cursor !== undefined && { cursor }) })
  return { method: 'POST', path: `/api/v1/namespaces/${encodeURIComponent(ns)}/scan`, body }
}

export async function readSegmentPage({ method, path, body }: ScanCall): Promise<SegmentPage> {
  const response = await send(method, path, { headers: { 'Content-Type': 'application/json' }, body })
  const page = parseExact(await response.text())
  if (!isExactObject(page) || !Array.isArray(page['records'])) return { rows: [], cursor: undefined }
  const cursor = isExactObject(page['summary']) ? page['summary']['cursor'] : undefined
  return {
    rows: page['records'].map((record) => printExact(record)),
    cursor: typeof cursor === 'string' ? cursor : undefined,
  }
}

export function generationOf(record: { [name: string]: Exact }): string {
  const { generation } = record
  return generation instanceof LosslessNumber ? generation.toString() : '?'
}
