import { type Exact, isExactObject, parseExact, printExact } from '../../../records/json'
import { readCsv, wholeCsvPrefix } from './csv'

export interface Sample {
  format: 'csv' | 'ndjson'
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
  const text = compression === 'zstd' ? '' : await beginning(file, compression)
  const format = /\.csv$/i.test(name)
    ? 'csv'
    : /\.(ndjson|jsonl|json)$/i.test(name) || text.trimStart().startsWith('{')
      ? 'ndjson'
      : 'csv'
  return { format, compression, ...(format === 'csv' ? csvRows(text) : jsonRows(text)) }
}

function compressionOf(name: string, magic: Uint8Array): Sample['compression'] {
  if (magic[0] === 0x1f && magic[1] === 0x8b) return 'gzip'
  if ((magic[0] === 0x28 && magic[1] === 0xb5 && magic[2] === 0x2f && magic[3] === 0xfd) || /\.zstd?$/i.test(name))
    return 'zstd'
  return 'identity'
}

async function beginning(file: File, compression: 'identity' | 'gzip'): Promise<string> {
  if (compression === 'identity') return file.slice(0, SAMPLE_BYTES).text()
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.length < SAMPLE_BYTES) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel()
  return text
}

function csvRows(text: string): { columns: string[]; rows: string[][] } {
  const [columns = [], ...rows] = readCsv(text, SAMPLE_ROWS + 1)
  return { columns, rows }
}

function jsonRows(text: string): { columns: string[]; rows: string[][] } {
  // A last line that was cut off does not parse. One that was not needs no newline.
  const records = text.split('\n', SAMPLE_ROWS).flatMap((line) => {
    try {
      const record = parseExact(line)
      return isExactObject(record) ? [record] : []
    } catch {
      return []
    }
  })
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))]
  return { columns, rows: records.map((record) => columns.map((name) => fieldText(record[name]))) }
}

/** The whole value, so that a path can be followed into it. */
const fieldText = (value: Exact | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : printExact(value)

/** The part of a file that a dry run sends: complete records within the first MiB, or a compressed file as a whole. */
export async function dryRunPart(file: File, sample: Sample): Promise<Blob> {
  if (sample.compression !== 'identity' || file.size <= DRY_RUN_BYTES) return file
  const bytes = new Uint8Array(await file.slice(0, DRY_RUN_BYTES).arrayBuffer())
  const end = sample.format === 'csv' ? wholeCsvPrefix(bytes) : bytes.lastIndexOf(0x0a) + 1
  return end === 0 ? file : file.slice(0, end)
}
