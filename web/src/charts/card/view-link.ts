import type { Range } from '../spec/spec'

/** The view of one chart, as a link keeps it after `#`: that part of an address is no page's own. */
export interface KeptView {
  hidden: readonly string[]
  zoom?: Range | undefined
  table: boolean
}

const slug = (title: string): string => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

export function hashOf(title: string, { hidden, zoom, table }: KeptView): string {
  const parts = new URLSearchParams({ chart: slug(title) })
  if (hidden.length > 0) parts.set('hide', hidden.join(','))
  if (zoom !== undefined) {
    parts.set('from', String(zoom.from))
    parts.set('to', String(zoom.to))
  }
  if (table) parts.set('table', '1')
  return `#${parts}`
}

/** The view that an address keeps for a chart, if it does. */
export function viewIn(hash: string, title: string): KeptView | undefined {
  const parts = new URLSearchParams(hash.slice(1))
  if (parts.get('chart') !== slug(title)) return undefined
  const [from, to] = [Number(parts.get('from') ?? NaN), Number(parts.get('to') ?? NaN)]
  return {
    hidden: parts.get('hide')?.split(',') ?? [],
    zoom: to > from ? { from, to } : undefined,
    table: parts.get('table') === '1',
  }
}
