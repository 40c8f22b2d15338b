import { t, tIn } from '../language/text'

// Values of the API as a reader sees them. Names of operations, engines and consistency levels stay as they are: they
// are what configuration, metrics and requests say.

/** One that is not known here is shown as the server says it. */
const wordsOf =
  (table: Readonly<Record<string, string>>) =>
  (value: string): string =>
    Object.hasOwn(table, value) ? (table[value] ?? value) : value

/** Of values, bins and keys; also the short forms at the heads of columns. */
export const typeWords = wordsOf({
  boolean: t('boolean'),
  bytes: tIn('type of a value', 'bytes'),
  digest: t('digest'),
  double: tIn('type of a value', 'double'),
  integer: t('integer'),
  list: tIn('type of a value', 'list'),
  map: tIn('type of a value', 'map'),
  null: 'null',
  string: t('string'),
})

/** Of progress, metrics and settings. */
export const unitWords = wordsOf({
  bytes: tIn('unit', 'bytes'),
  count: '',
  flag: '',
  ms: 'ms',
  operations: t('operations'),
  'per second': t('per second'),
  percent: t('percent'),
  records: t('records'),
  seconds: t('seconds'),
  segments: t('segments'),
})

/** Groups of operations; an operation has its own name. */
export const operationWords = wordsOf({ all: t('all operations'), reads: t('reads'), writes: t('writes') })

/** Where a latency is measured. */
export const sideWords = wordsOf({ engine: t('engine'), gateway: t('gateway') })

export const severityWords = wordsOf({ critical: t('critical'), warning: t('warning') })

export const roleNames = wordsOf({
  admin: tIn('role', 'admin'),
  operator: tIn('role', 'operator'),
  reader: tIn('role', 'reader'),
  writer: tIn('role', 'writer'),
})

/** Kinds of events at the charts. */
export const eventWords = wordsOf({
  alert: t('alert'),
  config: t('settings'),
  'job-end': t('end of a job'),
  'job-start': t('start of a job'),
})

export const indexKindWords = wordsOf({
  document: tIn('kind of index', 'document'),
  range: tIn('kind of index', 'range'),
})

/** Figures of latencies; a percentile has its own name. */
export const figureNames = wordsOf({
  errors: t('errors'),
  max: tIn('figure', 'max'),
  mean: t('mean'),
  rate: tIn('figure', 'rate'),
})
