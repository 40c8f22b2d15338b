// Which indexes would help the queries that ran, from their shapes and from samples of the sets.
import type { Index } from '../schemas/namespaces/indexes.js'
import type { AdvisedIndex } from '../schemas/namespaces/index-advice.js'
import type { PathProfile, SetProfile } from '../schemas/namespaces/profiles.js'
import { buildLine } from './advice-words.js'
import type { ScannedShape } from './scanned-shapes.js'
import { shapeText, type Test } from './shape.js'

/** Filters of one shape in one set, as the queries that ran and the slow operations tell of them. */
export interface Demand {
  namespace: string
  set?: string
  tests: readonly Test[]
  queries: { count: number; totalMs: number }
  slow: { count: number; totalMs: number }
  /** Records that one of them looks at. */
  scanned: number
  passed?: ScannedShape['passed']
}

type Spec = AdvisedIndex['spec']
type After = AdvisedIndex['records']['after']

/** An index is advised if a query then looks at no more than this part of the records. */
const PART_MOST = 0.5
/** An index proposes a few records more than pass, such as those at the edge of a range. */
const PROPOSED = 1.1
/** Memory of an entry, bytes: assumed, not measured. */
const ENTRY_BYTES = { range: 24, document: 10 } as const

const EQUAL: ReadonlySet<string> = new Set(['eq', 'in'])
const ORDERED: ReadonlySet<string> = new Set(['lt', 'le', 'gt', 'ge', 'between', 'prefix'])
const DOCUMENT: ReadonlySet<string> = new Set(['contains', 'has', 'hasAny', 'hasAll'])

interface Candidate {
  spec: Spec
  test: Test
  after: After
  basis: AdvisedIndex['basis']
  place: Pick<PathProfile, 'records' | 'share'> & Partial<Pick<PathProfile, 'lengths'>>
}

/** The best index for the filters of one shape; undefined if none would help much, or there is one. */
export function adviseFor(demand: Demand, profile: SetProfile, indexes: readonly Index[]): AdvisedIndex | undefined {
  const candidates = demand.tests.flatMap((test) => candidateOf(test, demand, profile) ?? [])
  // Where an index is there, the planner had its reasons to scan.
  if (candidates.some((candidate) => indexes.some((index) => covers(index, candidate)))) return undefined
  const [best] = candidates.toSorted((a, b) => a.after.about - b.after.about)
  const before = Math.max(demand.scanned, profile.sample.of)
  if (best === undefined || before === 0 || best.after.about > before * PART_MOST) return undefined
  const { spec, after, basis, place } = best
  const entries = Math.round(place.share * profile.sample.of) * (spec.kind === 'document' ? termsOf(place) : 1)
  const { queries, slow, namespace } = demand
  const saved = (queries.count > 0 ? queries.totalMs : slow.totalMs) * (1 - Math.min(1, after.about / before))
  return {
    spec,
    ...buildLine(namespace, spec, { queries, slow, before }),
    shapes: [shapeText(demand.tests)],
    queries,
    slow,
    records: { before, after: { ...after, to: Math.min(after.to, before) } },
    basis,
    savedMs: Math.round(saved * 10) / 10,
    cost: { entries, bytes: entries * ENTRY_BYTES[spec.kind] },
  }
}

/** Items of a list and keys of a map have entries of their own. */
const termsOf = ({ lengths }: Candidate['place']): number => Math.max(1, Math.round(lengths?.mean ?? 1))

function candidateOf(test: Test, demand: Demand, profile: SetProfile): Candidate | undefined {
  const place = placeOf(test, profile)
  if (place === undefined) return undefined
  const spec = specOf(test, demand.set, place)
  if (spec === undefined) return undefined
  if (test.op === 'eq') return { spec, test, after: place.equal, basis: 'sample', place }
  // Values of other tests are not kept. What passed the filter is what passed its only test.
  const { passed } = demand
  if (demand.tests.length !== 1 || passed === undefined) return undefined
  const about = Math.round(passed.total / passed.runs)
  const after = { about, from: passed.least, to: Math.ceil(passed.most * PROPOSED) + 1 }
  return { spec, test, after, basis: 'runs', place }
}

type Place = Omit<PathProfile, 'path' | 'depth' | 'indexable'> & { indexable?: boolean }

function placeOf({ bin, path }: Test, { bins }: SetProfile): Place | undefined {
  const found = bins.find(({ name }) => name === bin)
  return path === undefined ? found : found?.paths.find((one) => one.path === path)
}

function specOf({ bin, path, op }: Test, set: string | undefined, { indexable = true }: Place): Spec | undefined {
  const where = set === undefined || set === '' ? {} : { set }
  if (DOCUMENT.has(op) || (EQUAL.has(op) && !indexable)) return { name: nameOf(bin), ...where, bin, kind: 'document' }
  if (!indexable || !(EQUAL.has(op) || ORDERED.has(op))) return undefined
  const name = nameOf(path === undefined ? bin : `${bin}.${path}`)
  return { name, ...where, bin, kind: 'range', ...(path !== undefined && { path }) }
}

/** A name may have fewer kinds of characters than a bin. */
const nameOf = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .slice(0, 63)
    .replace(/^\.{1,2}$/, 'index')

/** Whether queries of the advised index could use this one. */
function covers(index: Index, { spec: { set, bin, kind, path }, test }: Candidate): boolean {
  if (index.set !== undefined && index.set !== set) return false
  // A document index finds equal values, too, and knows no order.
  if (index.kind === 'document')
    return (kind === 'document' || EQUAL.has(test.op)) && (index.bin === undefined || index.bin === bin)
  return kind === 'range' && index.bin === bin && index.path === path
}

/** Advice for several shapes on the same index as one, those that save most time first. */
export function merged(all: readonly AdvisedIndex[]): AdvisedIndex[] {
  const byIndex = new Map<string, AdvisedIndex>()
  for (const one of all.toSorted((a, b) => b.savedMs - a.savedMs)) {
    const { set, bin, kind, path } = one.spec
    const name = JSON.stringify([set, bin, kind, path])
    const first = byIndex.get(name)
    byIndex.set(name, first === undefined ? one : together(first, one))
  }
  return [...byIndex.values()].toSorted((a, b) => b.savedMs - a.savedMs)
}

const SHAPES = 5

const together = (a: AdvisedIndex, b: AdvisedIndex): AdvisedIndex => ({
  ...a,
  shapes: [...a.shapes, ...b.shapes].slice(0, SHAPES),
  queries: sum(a.queries, b.queries),
  slow: sum(a.slow, b.slow),
  records: {
    before: Math.max(a.records.before, b.records.before),
    after: {
      about: Math.max(a.records.after.about, b.records.after.about),
      from: Math.min(a.records.after.from, b.records.after.from),
      to: Math.max(a.records.after.to, b.records.after.to),
    },
  },
  savedMs: a.savedMs + b.savedMs,
})

const sum = (a: AdvisedIndex['queries'], b: AdvisedIndex['queries']): AdvisedIndex['queries'] => ({
  count: a.count + b.count,
  totalMs: a.totalMs + b.totalMs,
})
