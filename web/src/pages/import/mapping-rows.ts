export const columnTypes = ['auto', 'string', 'integer', 'double', 'boolean', 'json'] as const
export type ColumnType = (typeof columnTypes)[number]

/** A bin of a record, and where its value is found. */
export interface MapRow {
  bin: string
  /** a column or field, or a path with dots into one */
  source: string
  type: ColumnType
  /** whether records get it */
  keep: boolean
}

/** Most bins that a request maps. */
const MOST_BINS = 256

/** The Archive's hourly files as the published events; a request says it as `format=github-archive`. */
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

/** What the preset of the Archive sets. */
export const archivePreset = { key: 'id', keyType: 'auto', rows: readMap(archive) ?? [] } as const

/** Whether a file looks like one of the Archive's hours. */
export const isArchive = (columns: readonly string[]): boolean =>
  ['id', 'type', 'actor', 'repo', 'payload', 'created_at'].every((name) => columns.includes(name))

/** Whether the rows say what the preset does. */
export const saysArchive = (rows: readonly MapRow[]): boolean => mapText(rows) === archive

/** Each column as the bin of its name. */
export const rowsOf = (
  columns: readonly string[],
  types: Readonly<Record<string, ColumnType>> = {},
): readonly MapRow[] => columns.map((name) => ({ bin: name, source: name, type: types[name] ?? 'auto', keep: true }))

/** Whether each column becomes the bin of its name, so that no mapping has to be said; types may be. */
export const isPlain = (rows: readonly MapRow[], columns: readonly string[]): boolean =>
  rows.length === columns.length &&
  rows.every(({ bin, source, keep }, at) => keep && bin === source && source === columns[at])

/** The mapping as a request says it: what is kept, as `bin:source` or `bin:source:type`. */
export const mapText = (rows: readonly MapRow[]): string =>
  rows
    .filter(({ keep }) => keep)
    .map(({ bin, source, type }) => `${bin}:${source}${type === 'auto' && !endsAsType(source) ? '' : `:${type}`}`)
    .join(',')

/** `a:integer` would be read as `a` of a type. */
const endsAsType = (source: string): boolean => columnTypes.some((type) => source.endsWith(`:${type}`))

/** Reads what `mapText` writes; undefined where it is not that. */
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

/** What a mapping says, and below it the columns that it does not keep as they are. */
export const withRest = (rows: readonly MapRow[], columns: readonly string[]): readonly MapRow[] => [
  ...rows,
  ...rowsOf(columns.filter((name) => rows.every(({ source }) => source !== name))).map((row) => ({
    ...row,
    keep: false,
  })),
]

/** The column that a source begins with, where there is one. */
export const firstOf = (source: string, columns: readonly string[]): string | undefined =>
  columns.includes(source) ? source : columns.find((name) => source.startsWith(`${name}.`))

/** Why a row cannot be sent; undefined when it can, or is left out. */
export function rowProblem({ bin, source, keep }: MapRow): string | undefined {
  if (!keep) return undefined
  if (bin === '') return 'Name the bin'
  if (source === '') return 'Say where it is from'
  if (/[,:]/.test(bin) || source.includes(',')) return 'A request cannot say this name: it has a comma or a colon'
  return undefined
}

/** Why a mapping cannot be sent; undefined when it can. */
export function mapProblem(rows: readonly MapRow[]): string | undefined {
  const kept = rows.filter(({ keep }) => keep)
  const fault = kept.map(rowProblem).find((problem) => problem !== undefined)
  if (fault !== undefined) return fault
  if (kept.length === 0) return 'Keep at least one bin'
  if (kept.length > MOST_BINS) return `At most ${MOST_BINS} bins are mapped`
  const twice = kept.find(({ bin }, at) => kept.findIndex((other) => other.bin === bin) !== at)
  return twice === undefined ? undefined : `The bin ${twice.bin} is there twice`
}
