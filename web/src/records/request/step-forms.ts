import { LosslessNumber, parseExact, printExact } from '../json'
import { type AggregateRow, aggregateProblem, aggregateRowsOf, aggregateText } from './aggregate'
import { memberText, readRequest, withMember } from './request'
import {
  columnsOf,
  type Group,
  groupOf,
  groupText,
  limitOf,
  noGroup,
  type Order,
  orderOf,
  orderText,
  unnestOf,
} from './request-fields'
import type { Step, StepKind } from './steps'
import { readWhere } from './where'

// Converts arguments of steps to fields and back, if they need more than one field of a query; see `request-fields`.

/** The order, and the number of first elements to keep. */
export interface Sort {
  order: Order
  limit: string
}

export function sortOf(text: string): Sort | undefined {
  if (text === '') return { order: { bin: '', path: '', desc: false }, limit: '10' }
  const value = readRequest(text)
  if (value === undefined) return undefined
  const order = orderOf(withMember(value, 'limit', ''))
  const limit = limitOf(memberText(value, 'limit'))
  return order === undefined || order.bin === '' || limit === undefined ? undefined : { order, limit }
}

export function sortText({ order, limit }: Sort): string | undefined {
  const text = orderText(order)
  if (text === undefined || text === '') return text
  if (limit === '') return undefined
  return printExact({ ...readRequest(text), limit: new LosslessNumber(limit) })
}

/** Groups, and the figures of each. */
export interface Grouping {
  group: Group
  figures: readonly AggregateRow[]
}

export function groupingOf(text: string): Grouping | undefined {
  if (text === '') return { group: noGroup, figures: [] }
  const value = readRequest(text)
  if (value === undefined) return undefined
  const group = groupOf(withMember(value, 'aggregate', ''))
  const figures = aggregateRowsOf(memberText(value, 'aggregate'))
  return group === undefined || figures === undefined ? undefined : { group, figures }
}

export function groupingText({ group, figures }: Grouping): string | undefined {
  const text = groupText(group)
  const aggregate = figuresText(figures)
  if (text === undefined || aggregate === undefined || text === '') return text === '' ? '' : undefined
  return printExact({ ...readRequest(text), ...(aggregate !== '' && { aggregate: parseExact(aggregate) }) })
}

/** The names of the figures. Without figures, a group has the number of its elements. */
export function figureNames(figures: readonly AggregateRow[]): string[] {
  const text = figuresText(figures)
  return text === undefined || text === '' ? ['elements'] : Object.keys(readRequest(text) ?? {})
}

/** Undefined while one of them is incomplete. */
export const figuresText = (rows: readonly AggregateRow[]): string | undefined =>
  rows.some((row) => aggregateProblem(row) !== undefined) ? undefined : aggregateText(rows)

/** The readers of each kind's argument; undefined if fields would lose something. */
const readers: Partial<Record<StepKind, (text: string) => unknown>> = {
  filter: readWhere,
  map: columnsOf,
  flatMap: unnestOf,
  sort: sortOf,
  reduce: aggregateRowsOf,
  groupBy: groupingOf,
}

/** Whether a kind has an argument that needs a form. */
export const hasFields = (kind: StepKind): boolean => readers[kind] !== undefined

/** Whether the fields of a step's kind can show its argument. */
export function fieldsShow({ kind, text }: Step): boolean {
  try {
    return readers[kind]?.(text) !== undefined
  } catch {
    return false
  }
}
