import { type Exact, isExactObject, LosslessNumber, parseExact, printExact } from '../json'
import { typedValue, valueText } from './filter'
import { isMeta, sourceName, sourceOf } from './source'
import { t } from '../../language/text'

// Converts members of a request to fields of a form, and back. A reader returns undefined if its
// field would lose something.

/** The value of a bin, or at a path in it. `bin` may be metadata, such as `@size`; `as` is its name in the answer. */
export interface Column {
  bin: string
  path: string
  as: string
}

export interface Order {
  bin: string
  path: string
  desc: boolean
}

export interface Group {
  by: readonly Column[]
  /** maximum number of groups; empty: all */
  top: string
  /** the figure that orders the groups; empty: the first */
  order: string
  /** smallest first */
  rising: boolean
}

export const emptyColumn: Column = { bin: '', path: '', as: '' }
export const noGroup: Group = { by: [], top: '', order: '', rising: false }

const parsed = (text: string): Exact | undefined => (text === '' ? undefined : parseExact(text))

/** Whether a field writes exactly what it read. */
const same = (text: string, written: string | undefined): boolean => printExact(parseExact(text)) === written

export function setOf(text: string): string | undefined {
  const value = parsed(text)
  return typeof value === 'string' ? value : undefined
}

/** `auto`, `never`, or the name of an index; default: `auto`. */
export function indexUseOf(text: string): string | undefined {
  const value = parsed(text)
  if (value === undefined) return 'auto'
  return typeof value === 'string' && value !== '' ? value : undefined
}

export const indexUseText = (chosen: string): string => (chosen === 'auto' ? '' : printExact(chosen))

export function limitOf(text: string): string | undefined {
  return text === '' || /^[1-9]\d{0,14}$/.test(text) ? text : undefined
}

/** Only digits are a limit. */
export const limitText = (typed: string): string => typed.replaceAll(/\D/g, '').replace(/^0+/, '').slice(0, 15)

export function routeOf(text: string): string | undefined {
  const value = parsed(text)
  if (value === undefined) return ''
  return isExactObject(value) || Array.isArray(value) ? undefined : valueText(value)
}

/** Numbers as they are, text that looks like one in quotes. */
export function routeText(typed: string): string {
  const value = typedValue(typed)
  if (typed.trim() === '') return ''
  return printExact(isExactObject(value) || Array.isArray(value) ? typed : value)
}

export function columnsOf(text: string): Column[] | undefined {
  const value = parsed(text)
  if (value === undefined) return []
  // An empty list means no bins, but an empty field means all.
  if (!Array.isArray(value) || value.length === 0) return undefined
  const columns = value.map(itemOf)
  const all = columns.filter((column) => column !== undefined)
  return all.length === value.length && same(text, columnsText(all)) ? all : undefined
}

// A writer returns undefined while a part is incomplete.

export function columnsText(columns: readonly Column[]): string | undefined {
  if (anyProblem(columns)) return undefined
  const used = columns.filter(({ bin }) => bin !== '')
  if (used.length === 0) return ''
  return printExact(used.map(itemValue))
}

/** Why a column cannot be sent; undefined if it can, or is empty. */
export function columnProblem({ bin, path, as }: Column): string | undefined {
  return bin === '' && (path !== '' || as !== '') ? t('Enter a bin') : undefined
}

/** Why an item of a list cannot be sent; its column needs a name. */
export function itemNameProblem({ bin, as }: Column): string | undefined {
  return bin !== '' && as === '' ? t('Enter a name') : undefined
}

/** Like `columnProblem`, for the order. */
export const orderProblem = ({ bin, path }: Order): string | undefined => columnProblem({ bin, path, as: '' })

const anyProblem = (columns: readonly Column[]): boolean =>
  columns.some((column) => columnProblem(column) !== undefined)

/** A plain bin is written as its name. */
const itemOf = (item: Exact): Column | undefined =>
  typeof item === 'string' ? { ...emptyColumn, bin: item } : columnOf(item)

const itemValue = (column: Column): Exact =>
  column.path === '' && column.as === '' && !isMeta(column.bin) ? column.bin : columnValue(column)

function columnOf(value: Exact): Column | undefined {
  if (!isExactObject(value)) return undefined
  const bin = sourceName(value)
  const { path = '', as = '' } = value
  return bin === undefined || typeof path !== 'string' || typeof as !== 'string' ? undefined : { bin, path, as }
}

const columnValue = ({ bin, path, as }: Column): Exact => ({
  ...sourceOf(bin),
  ...(path !== '' && { path }),
  ...(as !== '' && { as }),
})

export function unnestOf(text: string): Column | undefined {
  const value = parsed(text)
  if (value === undefined) return emptyColumn
  const column = columnOf(value)
  return column !== undefined && same(text, unnestText(column)) ? column : undefined
}

export function unnestText(column: Column): string | undefined {
  if ((columnProblem(column) ?? itemNameProblem(column)) !== undefined) return undefined
  return column.bin === '' ? '' : printExact(columnValue(column))
}

export function orderOf(text: string): Order | undefined {
  const value = parsed(text)
  if (value === undefined) return { bin: '', path: '', desc: false }
  const column = columnOf(value)
  if (column === undefined || !isExactObject(value)) return undefined
  const order = { bin: column.bin, path: column.path, desc: value['desc'] === true }
  return same(text, orderText(order)) ? order : undefined
}

export function orderText(order: Order): string | undefined {
  if (orderProblem(order) !== undefined) return undefined
  const { bin, path, desc } = order
  if (bin === '') return ''
  return printExact({ ...sourceOf(bin), ...(path !== '' && { path }), ...(desc && { desc }) })
}

export function groupOf(text: string): Group | undefined {
  const value = parsed(text)
  if (value === undefined) return noGroup
  if (!isExactObject(value) || !Array.isArray(value['by'])) return undefined
  const { top, order = '', desc } = value
  const by = value['by'].map(itemOf).filter((column) => column !== undefined)
  if (typeof order !== 'string') return undefined
  const group = { by, top: top === undefined ? '' : printExact(top), order, rising: desc === false }
  return limitOf(group.top) !== undefined && same(text, groupText(group)) ? group : undefined
}

export function groupText({ by, top, order, rising }: Group): string | undefined {
  if (anyProblem(by)) return undefined
  const used = by.filter(({ bin }) => bin !== '')
  if (used.length === 0) return ''
  return printExact({
    by: used.map(itemValue),
    ...(top !== '' && { top: new LosslessNumber(top) }),
    ...(order !== '' && { order }),
    ...(rising && { desc: false }),
  })
}
