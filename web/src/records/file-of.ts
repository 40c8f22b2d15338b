import type { FileFormat } from '../api/export-path'
import { csvOf } from './csv'
import { type Exact, parseExact } from './json'
import { packed } from './pack'

/** Record objects, a line each, as a file that an import reads, with the same content as an export of that format. */
export function fileOf(lines: readonly string[], format: FileFormat): BlobPart[] {
  if (format === 'ndjson') return lines.map((line) => `${line}\n`)
  const records: Exact[] = lines.map(parseExact)
  return format === 'csv' ? [csvOf(records)] : records.map(packed)
}
