import { t } from '../language/text'

/** Formats of files that are exported and imported. */
export type FileFormat = 'csv' | 'ndjson' | 'msgpack'

export const mediaTypes: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  msgpack: 'application/msgpack',
}

const names: Readonly<Record<FileFormat, string>> = {
  csv: t('CSV'),
  ndjson: t('NDJSON'),
  msgpack: t('MessagePack'),
}

export const fileFormatName = (format: FileFormat): string => names[format]

interface Asked {
  /** empty: records without a set; unset: all sets */
  set?: string | undefined
  format: FileFormat
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
