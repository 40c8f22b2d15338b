import { type Exact, isExactObject, parseExact, printExact } from './json'
import { isMeta, sourceName, sourceOf } from './source'

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
  contains: 'contains',
  eq: '= equals',
  ne: '≠ differs',
  lt: '< below',
  le: '≤ at most',
  gt: '> above',
  ge: '≥ at least',
  between: 'is between',
  in: 'is one of',
  prefix: 'starts with',
  exists: 'exists',
  has: 'has key',
  hasAny: 'has any key of',
  hasAll: 'has all keys of',
}

/** One test as a row of the builder. `bin` may be metadata, as `@size`; `value` is JSON, or plain words that become a string. */
export interface FilterRow {
  bin: string
  path: string
  op: FilterOp
  value: string
}

export const emptyRow: FilterRow = { bin: '', path: '', op: 'eq', value: '' }

/** The value that typed text stands for: JSON where it parses, else the text itself as a string. */
export function typedValue(text: string): Exact {
  try {
    return parseExact(text)
  } catch {
    return text
  }
}

/** Why a row cannot be sent; undefined when it can. */
export function rowProblem(row: FilterRow): string | undefined {
  if (row.bin === '') return 'Name the bin'
  if (isMeta(row.bin) && row.op === 'contains') return 'Metadata holds no documents'
  if (row.op === 'exists') return undefined
  const value = typedValue(row.value)
  if (row.value === '') return 'Give a value'
  if (row.op === 'contains' && !isExactObject(value) && !Array.isArray(value))
    return 'Containment compares JSON: write an object or a list'
  if (row.op === 'in' && !Array.isArray(value)) return 'Write a list, such as ["a", "b"]'
  if (row.op === 'between' && !(Array.isArray(value) && value.length === 2)) return 'Write two values, such as [10, 20]'
  if (row.op === 'prefix' && typeof value !== 'string') return 'A prefix is text'
  if (row.op === 'has' && typeof value !== 'string') return 'A key is text'
  if ((row.op === 'hasAny' || row.op === 'hasAll') && !isTextList(value))
    return 'Write a list of keys, such as ["a", "b"]'
  return undefined
}

/** A row that was just added says nothing yet. */
export const isBlank = ({ bin, path, value }: FilterRow): boolean => bin === '' && path === '' && value === ''

/** Only these comparisons have a path beside them: containment says by its value where it looks. */
export const takesPath = ({ bin, op }: FilterRow): boolean => op !== 'contains' && !isMeta(bin)

const isTextList = (value: Exact): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string')

/** The test that a row says. */
export function conditionOf(row: FilterRow): { [name: string]: Exact } {
  return {
    ...sourceOf(row.bin),
    ...(row.path !== '' && takesPath(row) && { path: row.path }),
    op: row.op,
    ...(row.op !== 'exists' && { value: typedValue(row.value) }),
  }
}

/** The row that says the same as a test; undefined when the test says more than a row can. */
export function rowOf(condition: Exact): FilterRow | undefined {
  if (!isExactObject(condition)) return undefined
  const { op, path = '', value } = condition
  const bin = sourceName(condition)
  const known = filterOps.find((candidate) => candidate === op)
  if (bin === undefined || known === undefined || typeof path !== 'string') return undefined
  const row = { bin, path, op: known, value: value === undefined || known === 'exists' ? '' : valueText(value) }
  const { value: held, ...bare } = condition
  // That something exists may be said in full; that it does not, no row says.
  const said = known === 'exists' && held === true ? bare : condition
  return rowProblem(row) === undefined && sorted(conditionOf(row)) === sorted(said) ? row : undefined
}

/** A test's JSON, its members by name. */
const sorted = (test: { [name: string]: Exact }): string =>
  printExact(Object.fromEntries(Object.entries(test).toSorted(([a], [b]) => (a < b ? -1 : 1))))

/** Shown as plain words where reading them back gives the same string; no words are shown as "". */
export function valueText(value: Exact): string {
  if (typeof value !== 'string') return printExact(value)
  return value !== '' && typedValue(value) === value ? value : JSON.stringify(value)
}
