import { type Exact, isExactObject, LosslessNumber, printExact } from '../../../records/json'
import { type FilterOp, type FilterRow, takesPath, typedValue, valueText } from '../../../records/request/filter'
import { emptyGroup, readWhere, type WhereNode, whereText } from '../../../records/request/where'
import { binsOf } from '../../../records/rows/columns'
import { t } from '../../../language/text'

// The filter of a list as chips: one for each test that all records must pass. Chips and text say the same.

/** The chips of a filter's JSON text. */
export function chipsOf(where: string): readonly WhereNode[] {
  const group = readWhere(where)
  if (group === undefined) return []
  return group.join === 'and' && !group.not ? group.nodes : [group]
}

/** The filter's JSON text on one line; empty without chips. */
export const chipsText = (chips: readonly WhereNode[]): string => whereText({ ...emptyGroup, nodes: chips }) ?? ''

/** The chips with one of them changed, left out (`chip` undefined), or added (`at` undefined). */
export function withChip(chips: readonly WhereNode[], at: number | undefined, chip: WhereNode | undefined) {
  if (at === undefined) return chip === undefined ? chips : [...chips, chip]
  return chips.flatMap((old, index) => (index === at ? (chip ?? []) : old))
}

/** What a test says, by its comparison. */
const sentences: Record<FilterOp, (field: string, value: string) => string> = {
  contains: (field, value) => t('{field} contains {value}', { field, value }),
  eq: (field, value) => t('{field} is {value}', { field, value }),
  ne: (field, value) => t('{field} is not {value}', { field, value }),
  lt: (field, value) => `${field} < ${value}`,
  le: (field, value) => t('{field} is at most {value}', { field, value }),
  gt: (field, value) => `${field} > ${value}`,
  ge: (field, value) => t('{field} is at least {value}', { field, value }),
  between: (field, value) => t('{field} is between {value}', { field, value }),
  in: (field, value) => t('{field} is one of {value}', { field, value }),
  prefix: (field, value) => t('{field} starts with {value}', { field, value }),
  exists: (field) => t('{field} exists', { field }),
  has: (field, value) => t('{field} has the key {value}', { field, value }),
  hasAny: (field, value) => t('{field} has any key of {value}', { field, value }),
  hasAll: (field, value) => t('{field} has all keys of {value}', { field, value }),
}

/** Where a row looks: a bin, a path in it, or metadata. */
export const fieldOf = (row: FilterRow): string =>
  row.path !== '' && takesPath(row) ? `${row.bin}.${row.path}` : row.bin

/** The bins and the metadata that the tests of a filter look at. */
export const testedBins = (where: string): string[] =>
  chipsOf(where).flatMap((chip) => (chip.kind === 'test' ? [chip.row.bin] : []))

/** A chip in words. */
export function chipText(chip: WhereNode): string {
  if (chip.kind === 'json') return chip.text
  if (chip.kind === 'test') return sentences[chip.row.op](fieldOf(chip.row), chip.row.value)
  const searched = searchedOf(chip)
  if (searched !== undefined)
    return t('{bins, plural, one {# bin} other {# bins}} searched for {text}', {
      bins: searched.bins,
      text: searched.text,
    })
  return whereText(chip) ?? ''
}

/** The search of a chip that looks for one value in several bins. */
function searchedOf(chip: WhereNode): { bins: number; text: string } | undefined {
  if (chip.kind !== 'group' || chip.join !== 'or' || chip.not || chip.nodes.length === 0) return undefined
  const texts = new Set<string>()
  for (const node of chip.nodes) {
    if (node.kind !== 'test' || node.row.op !== 'eq' || node.row.path !== '') return undefined
    const value = typedValue(node.row.value)
    texts.add(typeof value === 'string' ? value : printExact(value))
  }
  const [text, ...others] = texts
  return text === undefined || others.length > 0 ? undefined : { bins: chip.nodes.length, text }
}

/** A chip that finds a typed value in these bins, as text or as what it reads as. Bins of lists and maps have no value. */
export function searchChip(sample: readonly Exact[], names: readonly string[], text: string): WhereNode | undefined {
  const read = typedValue(text)
  const nodes = names.flatMap((bin): WhereNode[] => {
    const values = sample.map((record) => binsOf(record)[bin]).filter((value) => value !== undefined && value !== null)
    const test = (value: string): WhereNode => ({ kind: 'test', row: { bin, path: '', op: 'eq', value } })
    if (values.some((value) => typeof value === 'string')) return [test(valueText(text))]
    return values.some((value) => sameKind(value, read)) ? [test(valueText(read))] : []
  })
  const [only, ...others] = nodes
  return others.length === 0 ? only : { kind: 'group', join: 'or', not: false, nodes }
}

const isMapOrList = (value: Exact | undefined): boolean => Array.isArray(value) || isExactObject(value)

function sameKind(value: Exact | undefined, read: Exact): boolean {
  if (isMapOrList(value) || isMapOrList(read)) return false
  return value instanceof LosslessNumber ? read instanceof LosslessNumber : typeof value === typeof read
}
