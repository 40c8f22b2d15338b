// What an export brings, and where it begins.

export interface ExportSpec {
  set?: string
  where?: Buffer
  format: 'ndjson' | 'csv' | 'msgpack'
  columns?: string[]
  /** CSV: whether it has the set, the generation and the expiry of each record. Unset: if `set` is. */
  metadata?: boolean
  /** CSV with metadata: whether it has the bins without a column. Unset: if `columns` is. */
  otherBins?: boolean
  /** Whether the records come in an order, so that another export can go on behind any of them. */
  resumable?: boolean
  /** Digest of the record to go on behind; or its key, in the set `afterSet`. */
  after?: Buffer
  afterKey?: string | bigint | Buffer
  afterSet?: string
  /** The `exportId` of the stream to go on with. */
  exportId?: string
  threads?: number
}
