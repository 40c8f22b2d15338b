interface Asked {
  /** empty: records without a set; unset: all sets */
  set?: string | undefined
  format: 'ndjson' | 'csv'
  /** a filter as JSON text */
  where?: string
  metadata?: boolean
}

/** The address of an export, which the browser downloads while the gateway streams it. */
export const exportPath = (ns: string, { set, format, where = '', metadata }: Asked): string =>
  `/api/v1/namespaces/${encodeURIComponent(ns)}/export?${new URLSearchParams({
    ...(set !== undefined && { set }),
    format,
    ...(where !== '' && { where }),
    ...(metadata !== undefined && { metadata: String(metadata) }),
  })}`
