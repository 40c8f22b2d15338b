import type { Sample } from './sample'

export const columnTypes = ['auto', 'string', 'integer', 'double', 'boolean', 'json'] as const
export type ColumnType = (typeof columnTypes)[number]

/** How rows become records. */
export interface Mapping {
  set: string
  key: string
  keyType: 'auto' | 'string' | 'integer'
  threads: string
  mode: 'upsert' | 'insert'
  distributionBin: string
  header: boolean
  types: Record<string, ColumnType>
}

export const emptyMapping: Mapping = {
  set: '',
  key: '',
  keyType: 'auto',
  threads: '',
  mode: 'upsert',
  distributionBin: '',
  header: true,
  types: {},
}

/** A first guess from a file: its name as the set, a column called like a key as the key. */
export function guessMapping(fileName: string, sample: Sample): Partial<Mapping> {
  const set = (fileName.split(/[.\s]/)[0] ?? '').replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 63)
  const key = ['key', 'id', 'event_id', '_id', 'uuid'].find((name) => sample.columns.includes(name)) ?? ''
  const types = Object.fromEntries(
    sample.columns.flatMap((name, index): [string, ColumnType][] =>
      sample.format === 'csv' && looksLikeJson(sample.rows.map((row) => row[index] ?? '')) ? [[name, 'json']] : [],
    ),
  )
  return { set, key, types }
}

function looksLikeJson(values: string[]): boolean {
  const present = values.filter((value) => value !== '')
  return present.length > 0 && present.every((value) => /^[[{]/.test(value) && /[\]}]$/.test(value))
}

/** The import's address; only what differs from the defaults is named. */
export function importPath(ns: string, sample: Sample, mapping: Mapping, cpus: number, dryRun: boolean): string {
  const csv = sample.format === 'csv'
  const types = Object.entries(mapping.types).filter(([, type]) => type !== 'auto')
  const query = new URLSearchParams({
    format: sample.format,
    ...(mapping.set !== '' && { set: mapping.set }),
    ...(mapping.key !== '' && { key: mapping.key }),
    ...(mapping.keyType !== 'auto' && { keyType: mapping.keyType }),
    threads: mapping.threads === '' ? String(cpus) : mapping.threads,
    ...(mapping.mode === 'insert' && { mode: 'insert' }),
    ...(mapping.distributionBin !== '' && { distributionBin: mapping.distributionBin }),
    ...(csv &&
      !mapping.header && {
        header: 'false',
        columns: sample.columns.map((_, index) => `column${index + 1}`).join(','),
      }),
    ...(types.length > 0 && { types: types.map(([name, type]) => `${name}:${type}`).join(',') }),
    ...(dryRun && { dryRun: 'true' }),
  })
  return `/api/v1/namespaces/${encodeURIComponent(ns)}/import?${query}`
}

export function importHeaders({ format, compression }: Sample): Record<string, string> {
  return {
    'Content-Type': format === 'csv' ? 'text/csv' : 'application/x-ndjson',
    ...(compression !== 'identity' && { 'Content-Encoding': compression }),
  }
}
