import { type Exact, isExactObject, parseExact, printExact } from '../../../records/json'
import type { FileFormat } from '../../../api/export-path'
import { readCsv, wholeCsvPrefix } from './csv'
import { valuesOf } from './msgpack'

export interface Sample {
  format: FileFormat
  compression: 'identity' | 'gzip' | 'zstd'
  columns: string[]
  /** first rows, as text, in the order of the columns */
  rows: string[][]
}

const SAMPLE_BYTES = 256 * 1024
const SAMPLE_ROWS = 8
export const DRY_RUN_BYTES = 1024 * 1024

/**
 * Reads format, columns and first rows from the beginning of a file. Browsers cannot decompress
 * zstd, so only the file name counts.
 */
export async function sampleOf(file: File): Promise<Sample> {
  const compression = compressionOf(file.name, new Uint8Array(await file.slice(0, 4).arrayBuffer()))
  const name = file.name.replace(/\.(gz|zst|zstd)$/i, '')
  const bytes = compression === 'zstd' ? new Uint8Array() : await beginning(file, compression)
  const format = formatOf(name, bytes)
  return { format, compression, ...readers[format](bytes) }
}

function formatOf(name: string, bytes: Uint8Array): FileFormat {
  if (/\.csv$/i.test(name)) return 'csv'
  if (/\.(ndjson|jsonl|json)$/i.test(name)) return 'ndjson'
  const first = bytes[0] ?? 0
  // No text begins with the byte of a short map.
  if (/\.(msgpack|mp)$/i.test(name) || (first >= 0x80 && first < 0x90)) return 'msgpack'
  return textOf(bytes).trimStart().startsWith('{') ? 'ndjson' : 'csv'
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

interface Rows {
  columns: string[]
  rows: string[][]
}

const readers: Readonly<Record<FileFormat, (bytes: Uint8Array) => Rows>> = {
  csv: (bytes) => csvRows(textOf(bytes)),
  ndjson: (bytes) => jsonRows(textOf(bytes)),
  msgpack: (bytes) => fieldRows(valuesOf(bytes, SAMPLE_ROWS).values),
}

function compressionOf(name: string, magic: Uint8Array): Sample['compression'] {
  if (magic[0] === 0x1f && magic[1] === 0x8b) return 'gzip'
  if ((magic[0] === 0x28 && magic[1] === 0xb5 && magic[2] === 0x2f && magic[3] === 0xfd) || /\.zstd?$/i.test(name))
    return 'zstd'
  return 'identity'
}

async function beginning(file: File, compression: 'identity' | 'gzip'): Promise<Uint8Array> {
  if (compression === 'identity') return new Uint8Array(await file.slice(0, SAMPLE_BYTES).arrayBuffer())
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader()
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  while (length < SAMPLE_BYTES) {
    const { done, value } = await reader.read()
    if (done) break
    pieces.push(value)
    length += value.length
  }
  await reader.cancel()
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}

function csvRows(text: string): Rows {
  const [columns = [], ...rows] = readCsv(text, SAMPLE_ROWS + 1)
  return { columns, rows }
}

function jsonRows(text: string): Rows {
  // A last line that was cut off does not parse. One that was not needs no newline.
  const values = text.split('\n', SAMPLE_ROWS).flatMap((line) => {
    try {
      return [parseExact(line)]
    } catch {
      return []
    }
  })
  return fieldRows(values)
}

function fieldRows(values: readonly Exact[]): Rows {
  const records = values.filter((value) => isExactObject(value))
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))]
  return { columns, rows: records.map((record) => columns.map((name) => fieldText(record[name]))) }
}

/** The whole value, so that a path can be followed into it. */
const fieldText = (value: Exact | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : printExact(value)

/** Where the last whole record ends. */
const wholePrefixes: Readonly<Record<FileFormat, (bytes: Uint8Array) => number>> = {
  csv: wholeCsvPrefix,
  ndjson: (bytes) => bytes.lastIndexOf(0x0a) + 1,
  msgpack: (bytes) => valuesOf(bytes).end,
}

/** The part of a file that a dry run sends: complete records within the first MiB, or a compressed file as a whole. */
export async function dryRunPart(file: File, sample: Sample): Promise<Blob> {
  if (sample.compression !== 'identity' || file.size <= DRY_RUN_BYTES) return file
  const bytes = new Uint8Array(await file.slice(0, DRY_RUN_BYTES).arrayBuffer())
  const end = wholePrefixes[sample.format](bytes)
  return end === 0 ? file : file.slice(0, end)
}
