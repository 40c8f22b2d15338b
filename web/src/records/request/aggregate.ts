import { isExactObject, parseExact, printExact } from '../json'
import { isMeta, sourceName, sourceOf } from './source'
import { t } from '../../language/text'

export const aggregateOps = ['count', 'sum', 'avg', 'min', 'max', 'distinct', 'histogram'] as const
export type AggregateOp = (typeof aggregateOps)[number]

/** One requested figure. `bin` may be metadata, such as `@size`; `buckets` is only for histograms. */
export interface AggregateRow {
  op: AggregateOp
  bin: string
  buckets: string
}

export const emptyAggregate: AggregateRow = { op: 'count', bin: '', buckets: '' }

export const bucketsHint = '100, or 0 10 100, or 0..1000/20'

const number = '-?\\d+(?:\\.\\d+)?'
const equal = new RegExp(`^(${number})\\.\\.(${number})/(\\d+)$`)
const width = new RegExp(`^${number}$`)
const bounds = new RegExp(`^${number}(?:[\\s,]+${number})+$`)

/** The members of a histogram: `100` is a width, `0 10 100` are bounds, `0..1000/20` are 20 equal buckets. */
export function bucketsOf(text: string): Record<string, number | number[]> | undefined {
  const wanted = text.trim()
  const [, min, max, buckets] = equal.exec(wanted) ?? []
  if (buckets !== undefined) return { buckets: Number(buckets), min: Number(min), max: Number(max) }
  if (width.test(wanted)) return { width: Number(wanted) }
  return bounds.test(wanted) ? { bounds: wanted.split(/[\s,]+/).map(Number) } : undefined
}

/** Why a row cannot be sent; undefined if it can. */
export function aggregateProblem(row: AggregateRow): string | undefined {
  return aggregateBinProblem(row) ?? bucketsProblem(row)
}

/** Like `aggregateProblem`, for the bin. */
export const aggregateBinProblem = ({ op, bin }: AggregateRow): string | undefined =>
  op !== 'count' && bin === '' ? t('Enter a bin') : undefined

/** Like `aggregateProblem`, for the buckets. */
export const bucketsProblem = ({ op, buckets }: AggregateRow): string | undefined =>
  op === 'histogram' && bucketsOf(buckets) === undefined ? `Buckets: ${bucketsHint}` : undefined

/** JSON of the rows under descriptive names; empty without rows. */
export function aggregateText(rows: readonly AggregateRow[]): string {
  if (rows.length === 0) return ''
  const named = ({ op, bin }: AggregateRow) => (bin === '' ? op : `${op} ${isMeta(bin) ? bin.slice(1) : bin}`)
  const members = rows.map((row, at): [string, object] => {
    const { op, bin, buckets } = row
    const plain = named(row)
    const again = rows.slice(0, at).some((earlier) => named(earlier) === plain)
    const source = bin === '' ? {} : sourceOf(bin)
    return [again ? `${plain} ${at + 1}` : plain, { op, ...source, ...(op === 'histogram' && bucketsOf(buckets)) }]
  })
  return JSON.stringify(Object.fromEntries(members))
}

/** The rows of aggregates' JSON text; undefined if rows cannot express it, or its names differ. */
export function aggregateRowsOf(text: string): AggregateRow[] | undefined {
  if (text === '') return []
  const wanted = parseExact(text)
  if (!isExactObject(wanted)) return undefined
  const rows = Object.values(wanted).map((value): AggregateRow | undefined => {
    if (!isExactObject(value)) return undefined
    const op = aggregateOps.find((known) => known === value['op'])
    const { width: size, bounds: edges, buckets, min, max } = value
    const print = (part: typeof size): string => (part === undefined ? '' : printExact(part))
    const steps = buckets === undefined ? print(size) : `${print(min)}..${print(max)}/${print(buckets)}`
    return (
      op && {
        op,
        bin: sourceName(value) ?? '',
        buckets: Array.isArray(edges) ? edges.map(print).join(' ') : steps,
      }
    )
  })
  const all = rows.filter((row) => row !== undefined)
  const written = all.length === 0 ? '' : printExact(parseExact(aggregateText(all)))
  return written === printExact(wanted) ? all : undefined
}

/** The result of one aggregate. */
export interface Figure {
  name: string
  /** exact text */
  value: string | undefined
  buckets: readonly { from: number; to: number; count: number }[] | undefined
  below: number
  above: number
  numbers: number | undefined
  others: number
  missing: number
}

type Answer = Record<string, Partial<Omit<Figure, 'name' | 'value'>> & { value?: number | null; exact?: string }>

/** The figures in an answer; undefined if it is a record. */
export function figuresOf(row: string | undefined): Figure[] | undefined {
  if (row?.startsWith('{"aggregate":') !== true) return undefined
  return figuresIn((JSON.parse(row) as { aggregate: Answer }).aggregate)
}

/** The figures of a stream that ends with `reduce`; its answer has nothing else. */
export const reducedOf = (row: string): Figure[] => figuresIn(JSON.parse(row) as Answer)

function figuresIn(answer: Answer): Figure[] {
  return Object.entries(answer).map(([name, { value, exact, ...rest }]) => ({
    name,
    value: value === undefined ? undefined : (exact ?? (value === null ? '–' : String(value))),
    buckets: rest.buckets,
    below: rest.below ?? 0,
    above: rest.above ?? 0,
    numbers: rest.numbers,
    others: rest.others ?? 0,
    missing: rest.missing ?? 0,
  }))
}
