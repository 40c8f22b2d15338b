import type { Range } from '../spec/spec'

// The views of charts stand in the address after `#`, which is no page's own: `latency.zoom=1..9&latency.hide=p50`. They
// get there by themselves, so that a reload shows the same and the address can be sent to somebody.

/** What is kept: switched off series and the table of a chart, zoom, selection and cell of charts with the same x. */
type Part = 'hide' | 'table' | 'zoom' | 'select' | 'cell'

/** After the last change, so that a drag does not write each of its steps. */
const WRITE_AFTER_MS = 300
/** The chart that a copied link leads to. */
const CHART = 'chart'
/** Digits that tell milliseconds apart. */
const DIGITS = 13

export const nameOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

const parts = (): URLSearchParams => new URLSearchParams(location.hash.slice(1))

export function keptText(name: string, part: Part): string | undefined {
  return parts().get(`${name}.${part}`) ?? undefined
}

export function keptRange(name: string, part: 'zoom' | 'select' | 'cell'): Range | undefined {
  const [from = NaN, to = NaN] = (keptText(name, part) ?? '').split('..').map(Number)
  return to > from ? { from, to } : undefined
}

export function keptNames(name: string): string[] {
  try {
    return (keptText(name, 'hide') ?? '').split(',').filter(Boolean).map(decodeURIComponent)
  } catch {
    // Somebody wrote the address by hand.
    return []
  }
}

/** Whether the address leads to this chart. */
export const isTarget = (name: string): boolean => parts().get(CHART) === name

let waiting = new Map<string, string | undefined>()
let timer: ReturnType<typeof setTimeout> | undefined

/** Keeps a part of a view. Unset or empty: as it is at first. */
export function keep(name: string, part: Part, value: string | undefined): void {
  waiting.set(`${name}.${part}`, value === '' ? undefined : value)
  clearTimeout(timer)
  const { pathname } = location
  timer = setTimeout(() => (location.pathname === pathname ? write() : forget()), WRITE_AFTER_MS)
}

export function keepRange(name: string, part: 'zoom' | 'select' | 'cell', range: Range | undefined): void {
  const text = (value: number): string => String(Number(value.toPrecision(DIGITS)))
  keep(name, part, range && `${text(range.from)}..${text(range.to)}`)
}

export function keepNames(name: string, names: readonly string[]): void {
  keep(name, 'hide', names.map(encodeURIComponent).join(','))
}

/** Leaves out what was not written yet. */
export function forget(): void {
  clearTimeout(timer)
  waiting = new Map()
}

/** The address of this page that leads to a chart. */
export function linkTo(name: string): string {
  write()
  const view = parts()
  view.set(CHART, name)
  return addressOf(view)
}

function write(): void {
  const view = parts()
  for (const [key, value] of waiting) {
    if (value === undefined) view.delete(key)
    else view.set(key, value)
  }
  forget()
  // Past the router, which would render the page again: `inPlace` keeps this part of the address.
  if (addressOf(view) !== location.href)
    History.prototype.replaceState.call(history, history.state, '', addressOf(view))
}

function addressOf(view: URLSearchParams): string {
  const [page = ''] = location.href.split('#')
  return view.size === 0 ? page : `${page}#${view}`
}
