import type { PageMap } from '../../../api/types'
import { bytes, count, share } from '../../../format'
import { t, tIn } from '../../../language/text'

/** What the colour of a cell shows. */
export type Measure = 'fill' | 'heat' | 'age'

/** Maximum of heat and age. */
const TOP = 255

export const measures: Record<Measure, { label: string; low: string; high: string; says: string }> = {
  fill: { label: t('Fill'), low: t('empty'), high: t('full'), says: t('average fill of the pages in use') },
  heat: {
    label: t('Heat'),
    low: t('cold'),
    high: t('hot'),
    says: t('share of the pages in use that are cached and were visited lately'),
  },
  age: {
    label: t('Age'),
    low: t('old'),
    high: t('just changed'),
    says: t('age of the newest change, in bytes of log written since'),
  },
}

/** Position of a cell on the colour scale, 0 to 255; undefined if no page is in use. */
export function levelOf(map: PageMap, cell: number, measure: Measure): number | undefined {
  if ((map.used[cell] ?? 0) === 0) return undefined
  switch (measure) {
    case 'fill':
      return Math.round(((map.fillPercent[cell] ?? 0) / 100) * TOP)
    case 'heat':
      return Math.round(hotShare(map, cell) * TOP)
    case 'age':
      return TOP - (map.age[cell] ?? TOP)
  }
}

const kindNames: Readonly<Record<string, string>> = {
  segment: t('segment'),
  inner: tIn('kind of page', 'inner'),
  leaf: tIn('kind of page', 'leaf'),
  slot_map: t('slot map'),
  directory: t('directory'),
  extents: t('extents'),
  data: tIn('kind of page', 'data'),
  overflow: tIn('kind of page', 'overflow'),
  namespace: t('namespace'),
}

/** The label of a page kind; one that is not known here as the server says it. */
export const kindWords = (kind: string): string => kindNames[kind] ?? kind.replaceAll('_', ' ')

export function pagesIn(map: PageMap, cell: number): number {
  return Math.max(0, Math.min(map.pages - cell * map.pagesPerCell, map.pagesPerCell))
}

/** Pages of a cell that are hot: its heat is a share of all its pages. */
const hotPages = (map: PageMap, cell: number): number => ((map.heat[cell] ?? 0) / TOP) * pagesIn(map, cell)

/** The same as a share of the pages in use, like fill. */
const hotShare = (map: PageMap, cell: number): number =>
  Math.min(1, hotPages(map, cell) / Math.max(1, map.used[cell] ?? 0))

/** The most common kind of a cell's pages; undefined if none is in use. */
function kindOf(map: PageMap, cell: number): string | undefined {
  const kind = map.kinds[map.kind[cell] ?? -1]
  return kind === undefined ? undefined : kindWords(kind)
}

/** Age of a cell's newest change, as log written since. */
function ageWords(age: number, ringBytes: number): string {
  return age >= TOP ? t('older than the log') : t('{age} of log ago', { age: bytes((age / TOP) * ringBytes) })
}

/** A cell as texts by column: pages, pages in use, most common kind, fill, heat, newest change. */
export function cellTexts(map: PageMap, ringBytes: number, cell: number): string[] {
  const first = cell * map.pagesPerCell
  const last = first + pagesIn(map, cell) - 1
  const pages = first === last ? count(first) : t('{first} to {last}', { first: count(first), last: count(last) })
  const used = map.used[cell] ?? 0
  if (used === 0) return [pages, '0', '–', '–', '–', '–']
  return [
    pages,
    count(used),
    kindOf(map, cell) ?? '–',
    `${map.fillPercent[cell] ?? 0}%`,
    share(hotShare(map, cell)),
    ageWords(map.age[cell] ?? TOP, ringBytes),
  ]
}

/** The names of those columns. */
export const cellColumns = [t('pages'), t('in use'), t('mostly'), t('full'), t('hot'), t('newest change')]

export function cellWords(map: PageMap, ringBytes: number, cell: number): string {
  const [pages = '', , kind = '', full = '', hot = '', change = ''] = cellTexts(map, ringBytes, cell)
  const used = map.used[cell] ?? 0
  const name = pagesIn(map, cell) === 1 ? t('page {pages}', { pages }) : t('pages {pages}', { pages })
  if (used === 0) return t('{name}: free', { name })
  const values = { name, kind, full, hot, change }
  return used === pagesIn(map, cell)
    ? t('{name}: mostly {kind}, {full} full, {hot} hot, changed {change}', values)
    : t('{name}: {used} in use, mostly {kind}, {full} full, {hot} hot, changed {change}', {
        ...values,
        used: count(used),
      })
}

export interface Totals {
  used: number
  free: number
  /** averages over the pages in use, 0 to 1 */
  fill: number
  hot: number
  /** cells with pages in use, and those with a cached page whose newest change is still in the log */
  cells: number
  recent: number
  /** pages in use by the most common kind of their cell, largest first */
  kinds: { kind: string; pages: number }[]
}

export function totalsOf(map: PageMap): Totals {
  const kinds = new Map<string, number>()
  let [used, fill, hot, cells, recent] = [0, 0, 0, 0, 0]
  map.used.forEach((pages, cell) => {
    used += pages
    fill += (pages * (map.fillPercent[cell] ?? 0)) / 100
    hot += pages * hotShare(map, cell)
    if (pages > 0) cells += 1
    if (pages > 0 && (map.age[cell] ?? TOP) < TOP) recent += 1
    const kind = kindOf(map, cell)
    if (kind !== undefined) kinds.set(kind, (kinds.get(kind) ?? 0) + pages)
  })
  const of = Math.max(1, used)
  return {
    used,
    free: Math.max(0, map.pages - used),
    fill: fill / of,
    hot: hot / of,
    cells,
    recent,
    kinds: [...kinds].map(([kind, pages]) => ({ kind, pages })).toSorted((a, b) => b.pages - a.pages),
  }
}

/** A whole map in words. */
export function mapWords(map: PageMap, pageBytes: number): string {
  const { used, fill, hot } = totalsOf(map)
  const pages = t('{pages, plural, one {# page} other {# pages}} of {pageBytes}', {
    pages: map.pages,
    pageBytes: bytes(pageBytes),
  })
  return t('{pages}: {used} in use, these {fill} full and {hot} hot', {
    pages,
    used: share(used / Math.max(1, map.pages)),
    fill: share(fill),
    hot: share(hot),
  })
}
