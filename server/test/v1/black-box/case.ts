// A case of the compatible API: a request on a record of its own, and all that is to be seen of its answer.
import { encode } from '../../../src/msgpack/encode.js'

/** What a case is run with. */
export interface Run {
  wire: 'json' | 'msgpack'
  /** '' = records without a set. */
  set: string
  /** Names of records of this run alone begin so. */
  key: string
}

export interface Case {
  name: string
  /** Bins of the record that is there before; null: none. Absent: `seed`. */
  seed?: Record<string, unknown> | null
  /** Method and path: $kv, $op, $op2, $read, $read2, $scan, $query stand for the routes of the record, set or namespace. */
  call: string
  body?: unknown
  headers?: Record<string, string>
  status: number
  /** internalErrorCode; null: an error of the gateway itself. Absent: no error. */
  code?: number | null
  /** A part of the answer. */
  answer?: unknown
  /** Bins of the record afterwards, whole; null: it is gone. Absent: not looked at. */
  after?: Record<string, unknown> | null
}

export const seed = { n: 5, t: 'ab', d: 0.5, l: [1, 'x', null], m: { a: { b: 1 } }, f: false }

/** A packed expression in a query string. */
export const packedexp = (expression: unknown): string =>
  `filterexp=${encode('msgpack', expression).toString('base64url')}`

/** The filter language in a query string. */
export const filterexp = (text: string): string => `filterexp=${Buffer.from(text).toString('base64url')}`
