import { type Exact, isExactObject, parseExact, printExact } from '../json'
import { isMeta, sourceName, sourceOf } from './source'
import { t } from '../../language/text'

export const filterOps = [
  'contains',
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
  'between',
  'in',
  'prefix',
  'exists',
  'has',
  'hasAny',
  'hasAll',
] as const
export type FilterOp = (typeof filterOps)[number]

export const opLabels: Record<FilterOp, string> = {
  contains: t('contains'),
  eq: t('= equals'),
  ne: t('≠ not equal'),
  lt: t('< less than'),
  le: t('≤ at most'),
  gt: t('> greater than'),
  ge: t('≥ at least'),
  between: t('is between'),
  in: t('is one of'),
  prefix: t('starts with'),
  exists: t('exists'),
  has: t('has key'),
  hasAny: t('has any key of'),
  hasAll: t('has all keys of'),
}

/**
 * One test as a row of the builder. `bin` may be metadata, such as `@size`; `value` is JSON, or
 * plain text that becomes a string.
 */
export interface FilterRow {
  bin: string
  path: string
  op: FilterOp
  value: string
}

export const emptyRow: FilterRow = { bin: '', path: '', op: 'eq', value: '' }

/** The value of typed text: JSON if it parses, else a string. */
export function typedValue(text: string): Exact {
  try {
    return parseExact(text)
  } catch {
    return text
  }
}

/** Why the bin of a row cannot be sent; undefined if it can. */
export function binProblem({ bin, op }: FilterRow): string | undefined {
  if (bin === '') return t('Enter a bin')
  return isMeta(bin) && op === 'contains' ? t('Metadata has no documents; choose a bin') : undefined
}

/** Like `binProblem`, for the value. */
export function valueProblem(row: FilterRow): string | undefined {
  if (row.op === 'exists') return undefined
  const value = typedValue(row.value)
  if (row.value === '') return t('Enter a value')
  if (row.op === 'contains' && !isExactObject(value) && !Array.isArray(value))
    return t('Enter a JSON object or list to compare with')
  if (row.op === 'in' && !Array.isArray(value)) return t('Enter a list, such as ["a", "b"]')
  if (row.op === 'between' && !(Array.isArray(value) && value.length === 2))
    return t('Enter two values, such as [10, 20]')
  if (row.op === 'prefix' && typeof value !== 'string') return t('Enter text')
  if (row.op === 'has' && typeof value !== 'string') return t('Enter a key as text')
  if ((row.op === 'hasAny' || row.op === 'hasAll') && !isTextList(value))
    return t('Enter a list of keys, such as ["a", "b"]')
  return undefined
}

/** Like `binProblem`, for the whole row. */
export const rowProblem = (row: FilterRow): string | undefined => binProblem(row) ?? valueProblem(row)

/** Whether a row is still empty. */
export const isBlank = ({ bin, path, value }: FilterRow): boolean => bin === '' && path === '' && value === ''

/** Whether a comparison has a path; the value of a containment test has its own structure. */
export const takesPath = ({ bin, op }: FilterRow): boolean => op !== 'contains' && !isMeta(bin)

const isTextList = (value: Exact): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string')

/** The test of a row. */
export function conditionOf(row: FilterRow): { [name: string]: Exact } {
  return {
    ...sourceOf(row.bin),
    ...(row.path !== '' && takesPath(row) && { path: row.path }),
    op: row.op,
    ...(row.op !== 'exists' && { value: typedValue(row.value) }),
  }
}

/** The row of a test; undefined if a row cannot express it. */
export function rowOf(condition: Exact): FilterRow | undefined {
  if (!isExactObject(condition)) return undefined
  const { op, path = '', value } = condition
  const bin = sourceName(condition)
  const known = filterOps.find((candidate) => candidate === op)
  if (bin === undefined || known === undefined || typeof path !== 'string') return undefined
  const row = { bin, path, op: known, value: value === undefined || known === 'exists' ? '' : valueText(value) }
  const { value: held, ...bare } = condition
  // `exists: true` may be explicit; a row cannot express `false`.
  const said = known === 'exists' && held === true ? bare : condition
  return rowProblem(row) === undefined && sorted(conditionOf(row)) === sorted(said) ? row : undefined
}

/** A test's JSON, its members by name. */
const sorted = (test: { [name: string]: Exact }): string =>
  printExact(Object.fromEntries(Object.entries(test).toSorted(([a], [b]) => (a < b ? -1 : 1))))

/** Shows a string without quotes if it parses back to the same string; an empty string is "". */
export function valueText(value: Exact): string {
  if (typeof value !== 'string') return printExact(value)
  return value !== '' && typedValue(value) === value ? value : JSON.stringify(value)
}
