import {
  archivePreset,
  type ColumnType,
  isArchive,
  isPlain,
  mapProblem,
  type MapRow,
  mapText,
  rowsOf,
  saysArchive,
} from './mapping-rows'
import { mediaTypes } from '../../../api/export-path'
import { isExport } from './exported'
import type { Sample } from './sample'
import { t } from '../../../language/text'

/** The mapping of rows to records. */
export interface Mapping {
  set: string
  key: string
  keyType: 'auto' | 'string' | 'integer'
  threads: string
  mode: 'upsert' | 'insert'
  distributionBin: string
  header: boolean
  rows: readonly MapRow[]
  /** whether the rows are read as the records that an export wrote */
  asExport: boolean
  keepSets: boolean
  keepExpiry: boolean
  keepGenerations: boolean
}

export const emptyMapping: Mapping = {
  set: '',
  key: '',
  keyType: 'auto',
  threads: '',
  mode: 'upsert',
  distributionBin: '',
  header: true,
  rows: [],
  asExport: false,
  keepSets: true,
  keepExpiry: true,
  keepGenerations: false,
}

/** The column names of a file in a request; without a header line, by position. */
export const columnsOf = ({ format, columns }: Sample, header: boolean): readonly string[] =>
  format === 'csv' && !header ? columns.map((_, index) => `column${index + 1}`) : columns

/** The rows of the sample; without a header line, the first line is a row. */
export const sampleRows = ({ format, columns, rows }: Sample, header: boolean): readonly (readonly string[])[] =>
  format === 'csv' && !header ? [columns, ...rows] : rows

/** Each column as a bin; one that holds JSON in every row of the sample is JSON. */
export function plainRows(sample: Sample, header: boolean): readonly MapRow[] {
  const columns = columnsOf(sample, header)
  const rows = sampleRows(sample, header)
  const types = Object.fromEntries(
    columns.flatMap((name, index): [string, ColumnType][] =>
      sample.format === 'csv' && looksLikeJson(rows.map((row) => row[index] ?? '')) ? [[name, 'json']] : [],
    ),
  )
  return rowsOf(columns, types)
}

/**
 * A first guess from a file: its name as the set, a column with a typical name as the key, GitHub
 * Archive files by the preset.
 */
export function guessMapping(fileName: string, sample: Sample): Partial<Mapping> {
  const set = (fileName.split(/[.\s]/)[0] ?? '').replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 63)
  if (isExport(sample)) return { asExport: true, rows: plainRows(sample, true) }
  if (sample.format === 'ndjson' && isArchive(sample.columns)) return { set, ...archivePreset }
  const key = ['key', 'id', 'event_id', '_id', 'uuid'].find((name) => sample.columns.includes(name)) ?? ''
  return { set, key, rows: plainRows(sample, true) }
}

function looksLikeJson(values: string[]): boolean {
  const present = values.filter((value) => value !== '')
  return present.length > 0 && present.every((value) => /^[[{]/.test(value) && /[\]}]$/.test(value))
}

/** Whether the request maps each bin, or uses the columns. */
export const isMapped = (sample: Sample, { header, rows }: Mapping): boolean =>
  rows.length > 0 &&
  !(
    isPlain(rows, columnsOf(sample, header)) &&
    // Values of the other formats have types; only a mapping can change them.
    (sample.format === 'csv' || rows.every(({ type }) => type === 'auto'))
  )

/** Why a mapping cannot be sent; undefined when it can. */
export function mappingProblem(sample: Sample, mapping: Mapping): string | undefined {
  if (mapping.asExport || !isMapped(sample, mapping)) return undefined
  const { distributionBin, rows } = mapping
  const placed = distributionBin === '' || rows.some(({ bin, keep }) => keep && bin === distributionBin)
  return (
    mapProblem(rows) ??
    (placed ? undefined : t('Keep {distributionBin}: it is the distribution bin of the set', { distributionBin }))
  )
}

/** The import's address; only what differs from the defaults is named. */
export function importPath(ns: string, sample: Sample, mapping: Mapping, cpus: number, dryRun: boolean): string {
  if (mapping.asExport) return pathOf(ns, exportQuery(sample, mapping, cpus, dryRun))
  const { rows, key, keyType, header } = mapping
  const csv = sample.format === 'csv'
  const mapped = isMapped(sample, mapping)
  const preset = mapped && sample.format === 'ndjson' && key === archivePreset.key && saysArchive(rows)
  const types = mapped ? [] : rows.filter(({ type }) => type !== 'auto')
  const query = new URLSearchParams({
    format: preset ? 'github-archive' : sample.format,
    ...(mapping.set !== '' && { set: mapping.set }),
    ...(key !== '' && !preset && { key }),
    ...(keyType !== 'auto' && { keyType }),
    threads: mapping.threads === '' ? String(cpus) : mapping.threads,
    ...(mapping.mode === 'insert' && { mode: 'insert' }),
    ...(mapping.distributionBin !== '' && { distributionBin: mapping.distributionBin }),
    ...(csv && !header && { header: 'false', columns: columnsOf(sample, header).join(',') }),
    ...(mapped && !preset && { map: mapText(rows) }),
    ...(types.length > 0 && { types: types.map(({ source, type }) => `${source}:${type}`).join(',') }),
    ...(dryRun && { dryRun: 'true' }),
  })
  return pathOf(ns, query)
}

const pathOf = (ns: string, query: URLSearchParams): string =>
  `/api/v1/namespaces/${encodeURIComponent(ns)}/import?${query}`

/** Without a key and a mapping, the records of an export are recognised. */
function exportQuery({ format }: Sample, mapping: Mapping, cpus: number, dryRun: boolean): URLSearchParams {
  const { set, threads, mode, keepSets, keepExpiry, keepGenerations } = mapping
  return new URLSearchParams({
    format,
    ...(set !== '' && { set }),
    threads: threads === '' ? String(cpus) : threads,
    ...(mode === 'insert' && { mode }),
    ...(keepSets !== (set === '') && { keepSets: String(keepSets) }),
    ...(!keepExpiry && { keepExpiry: 'false' }),
    ...(keepGenerations && { keepGenerations: 'true' }),
    ...(dryRun && { dryRun: 'true' }),
  })
}

export function importHeaders({ format, compression }: Sample): Record<string, string> {
  return {
    'Content-Type': mediaTypes[format],
    ...(compression !== 'identity' && { 'Content-Encoding': compression }),
  }
}
