import { textOf } from './formats'
import { shownRange, type View } from './scale'
import type { ChartSpec, Range, XAxis } from './spec'

const NONE = '–'

export function xText({ names, format }: XAxis, value: number): string {
  return names?.[value] ?? textOf(format, value)
}

/** The columns of a chart's numbers, with the texts and the numbers of a row. */
function columnsOf(spec: ChartSpec, { hidden }: View) {
  const series = spec.series.filter(({ id }) => !hidden.includes(id))
  const format = spec.y.format
  return [
    ...series.map(({ name, values, thin, colour }) => ({ name, values, thin, colour, format })),
    ...(spec.facts ?? []).map((fact) => ({ ...fact, thin: undefined, colour: undefined })),
  ]
}

/** One figure at an x. */
export interface Figure {
  name: string
  text: string
  thin: boolean
  colour: ChartSpec['series'][number]['colour'] | undefined
}

/** The figures at an index of x. Unset if nothing was measured there. */
export function figuresAt(spec: ChartSpec, view: View, index: number): Figure[] | undefined {
  const columns = columnsOf(spec, view)
  if (columns.every(({ values }) => (values[index] ?? null) === null)) return undefined
  return columns.map(({ name, values, thin, colour, format }) => {
    const value = values[index] ?? null
    return { name, text: value === null ? NONE : textOf(format, value), thin: thin?.[index] === true, colour }
  })
}

/** The values that are shown as texts: a row for each x. */
export function tableOf(spec: ChartSpec, view: View): { head: string[]; rows: string[][] } {
  const columns = columnsOf(spec, view)
  const rows = indexes(spec.x, shownRange(spec.x, view.zoom)).map((index) => [
    xText(spec.x, spec.x.values[index] ?? 0),
    ...columns.map(({ values, format }) => {
      const value = values[index] ?? null
      return value === null ? NONE : textOf(format, value)
    }),
  ])
  return { head: [spec.x.name, ...columns.map(({ name }) => name)], rows }
}

/** The values that are shown as CSV: whole numbers instead of texts, times in ISO 8601. */
export function csvOf(spec: ChartSpec, view: View): string {
  const columns = columnsOf(spec, view)
  const head = [spec.x.name, ...columns.map(({ name, format }) => name + unit(format))]
  const rows = indexes(spec.x, shownRange(spec.x, view.zoom)).map((index) => [
    xCell(spec.x, spec.x.values[index] ?? 0),
    ...columns.map(({ values }) => String(values[index] ?? '')),
  ])
  return [head, ...rows].map((cells) => cells.map(quoted).join(',') + '\r\n').join('')
}

const unit = (format: string): string =>
  format === 'latency' ? ' (ns)' : format === 'bytes' ? ' (bytes)' : format === 'percent' ? ' (%)' : ''

function xCell({ scale, names }: XAxis, value: number): string {
  return scale === 'time' ? new Date(value).toISOString() : (names?.[value] ?? String(value))
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

function indexes({ values, step = 0 }: XAxis, { from, to }: Range): number[] {
  return [...values.keys()].filter((index) => {
    const value = values[index] ?? 0
    return value + step > from - (step > 0 ? 0 : 1e-9) && value <= to
  })
}

/** What a chart shows in one sentence, for people who cannot see it. */
export function wordsOf(title: string, spec: ChartSpec): string {
  const newest = spec.series.map(({ name, values }) => {
    const value = values.findLast((one) => one !== null) ?? null
    return `${name}: ${value === null ? NONE : textOf(spec.y.format, value)}`
  })
  return `${title}; newest: ${newest.join(', ')}`
}
