import { t } from '../../../language/text'

export const columnTypes = ['auto', 'string', 'integer', 'double', 'boolean', 'json'] as const
export type ColumnType = (typeof columnTypes)[number]

/** A bin of a record, and the source of its value. */
export interface MapRow {
  bin: string
  /** a column or field, or a dotted path into one */
  source: string
  type: ColumnType
  /** whether records get it */
  keep: boolean
}

/** Most bins that a request maps. */
const MOST_BINS = 256

/** The mapping of GitHub Archive's hourly files. A request writes it as `format=github-archive`. */
const archive = [
  'event_id:id',
  'event_type:type',
  'event_public:public',
  'repo_id:repo.id',
  'payload:payload',
  'repo:repo',
  'actor:actor',
  'org:org',
  'created_at:created_at',
].join(',')

/** Rows of the Archive preset. */
export const archivePreset = { key: 'id', keyType: 'auto', rows: readMap(archive) ?? [] } as const

/** Whether a file looks like one of the Archive's hours. */
export const isArchive = (columns: readonly string[]): boolean =>
  ['id', 'type', 'actor', 'repo', 'payload', 'created_at'].every((name) => columns.includes(name))

/** Whether the rows equal the preset. */
export const saysArchive = (rows: readonly MapRow[]): boolean => mapText(rows) === archive

/** Each column as a bin of the same name. */
export const rowsOf = (
  columns: readonly string[],
  types: Readonly<Record<string, ColumnType>> = {},
): readonly MapRow[] => columns.map((name) => ({ bin: name, source: name, type: types[name] ?? 'auto', keep: true }))

/** Whether each column becomes a bin of the same name. Then the request needs no mapping, at most types. */
export const isPlain = (rows: readonly MapRow[], columns: readonly string[]): boolean =>
  rows.length === columns.length &&
  rows.every(({ bin, source, keep }, at) => keep && bin === source && source === columns[at])

/** The mapping as text of a request: the kept bins as `bin:source` or `bin:source:type`. */
export const mapText = (rows: readonly MapRow[]): string =>
  rows
    .filter(({ keep }) => keep)
    .map(({ bin, source, type }) => `${bin}:${source}${type === 'auto' && !endsAsType(source) ? '' : `:${type}`}`)
    .join(',')

/** `a:integer` would be parsed as `a` with a type. */
const endsAsType = (source: string): boolean => columnTypes.some((type) => source.endsWith(`:${type}`))

/** Parses the output of `mapText`; undefined for other text. */
export function readMap(text: string): readonly MapRow[] | undefined {
  const rows = text.split(',').map((part): MapRow | undefined => {
    const [bin = '', ...rest] = part.trim().split(':')
    const type = rest.length > 1 ? columnTypes.find((known) => known === rest.at(-1)) : undefined
    const source = (type === undefined ? rest : rest.slice(0, -1)).join(':')
    return bin === '' || source === '' ? undefined : { bin, source, type: type ?? 'auto', keep: true }
  })
  const read = rows.filter((row) => row !== undefined)
  return read.length === rows.length && mapProblem(read) === undefined ? read : undefined
}

/** The rows of a mapping, followed by the columns that it skips. */
export const withRest = (rows: readonly MapRow[], columns: readonly string[]): readonly MapRow[] => [
  ...rows,
  ...rowsOf(columns.filter((name) => rows.every(({ source }) => source !== name))).map((row) => ({
    ...row,
    keep: false,
  })),
]

/** The column that a source begins with, if any. */
export const firstOf = (source: string, columns: readonly string[]): string | undefined =>
  columns.includes(source) ? source : columns.find((name) => source.startsWith(`${name}.`))

/** Why a row cannot be sent; undefined if it can, or is skipped. */
export function rowProblem({ bin, source, keep }: MapRow): string | undefined {
  if (!keep) return undefined
  if (bin === '') return t('Enter a bin')
  if (source === '') return t('Enter a column or path')
  if (/[,:]/.test(bin) || source.includes(',')) return t('A bin name must not have a comma or a colon here')
  return undefined
}

/** Why a mapping cannot be sent; undefined if it can. */
export function mapProblem(rows: readonly MapRow[]): string | undefined {
  const kept = rows.filter(({ keep }) => keep)
  const fault = kept.map(rowProblem).find((problem) => problem !== undefined)
  if (fault !== undefined) return fault
  if (kept.length === 0) return t('Keep at least one bin')
  if (kept.length > MOST_BINS) return t('Map at most {mostbins} bins', { mostbins: MOST_BINS })
  const twice = kept.find(({ bin }, at) => kept.findIndex((other) => other.bin === bin) !== at)
  return twice === undefined ? undefined : t('The bin {bin} is mapped twice', { bin: twice.bin })
}
