// Advice on the indexes of a namespace: what to build, what to switch on, and what to drop.
import type { Engine } from '../engines/engine.js'
import { type Around, takeProfile } from '../profile/take.js'
import type { AdvisedIndex, AdvisedSetIndex, IndexAdvice, UnusedIndex } from '../schemas/namespaces/index-advice.js'
import type { Index } from '../schemas/namespaces/indexes.js'
import { SAMPLE_DEFAULT } from '../schemas/namespaces/profiles.js'
import type { RecordSet } from '../schemas/namespaces/sets.js'
import type { SlowGroup } from '../schemas/server/slow.js'
import { adviseFor, type Demand, merged } from './advise.js'
import { setIndexLine, unusedLine } from './advice-words.js'
import type { ScannedShape, ScannedShapes } from './scanned-shapes.js'
import { shapeText, testsOfText } from './shape.js'

/** An index that no query has used for so long is called unused. */
export const UNUSED_MS = 14 * 86_400_000
/** Sets that are sampled for one answer: those whose queries took most time. */
const SETS_MAX = 4
/** Groups of slow operations that are looked at. */
const SLOW_MAX = 200
/** A set is small if it has at most this part of the records of its namespace. */
const SMALL_PART = 0.2
/** Memory of a set index, bytes a record. */
const SET_INDEX_BYTES = 2

export interface Sources {
  engine: Engine
  shapes: ScannedShapes
  /** With the uses of earlier runs. */
  usesOf: (index: Index) => Index
  around: Around
  threads: number
}

export async function adviseOn(namespace: string, sources: Sources): Promise<IndexAdvice> {
  const { engine, shapes } = sources
  const indexes = (await engine.indexes(namespace)).map(sources.usesOf)
  const scanned = shapes.of(namespace)
  const { items: slow } = await engine.slowGroups({
    namespace,
    namespaceId: engine.tenureOf(namespace).id,
    ops: ['query', 'scan'],
    sort: 'slowest',
    limit: SLOW_MAX,
  })
  const demands = demandsOf(scanned, slow)
  const bySet = grouped(demands)
  const worst = [...bySet].toSorted(([, a], [, b]) => timeOf(b) - timeOf(a)).slice(0, SETS_MAX)
  const advised: AdvisedIndex[] = []
  for (const [set, ofSet] of worst) {
    const profile = await profileOf(namespace, set, sources)
    if (profile !== undefined) advised.push(...ofSet.flatMap((demand) => adviseFor(demand, profile, indexes) ?? []))
  }
  return {
    namespace,
    at: new Date().toISOString(),
    since: shapes.since,
    indexes: merged(advised),
    setIndexes: await setIndexesOf(namespace, scanned, engine),
    unused: unusedOf(indexes, Date.now()),
  }
}

const timeOf = (demands: readonly Demand[]): number =>
  demands.reduce((sum, { queries, slow }) => sum + Math.max(queries.totalMs, slow.totalMs), 0)

/** Undefined: the set has gone. */
async function profileOf(namespace: string, set: string | undefined, { engine, around, threads }: Sources) {
  if (set !== undefined && set !== '' && (await setOf(engine, namespace, set)) === undefined) return undefined
  return takeProfile(engine, { namespace, set, sample: SAMPLE_DEFAULT, seed: 0, threads }, around)
}

/** Queries by shape, with the slow operations of the same shape. Of one that only these know, they tell all. */
function demandsOf(scanned: readonly ScannedShape[], slow: readonly SlowGroup[]): Demand[] {
  const none = { count: 0, totalMs: 0 }
  const demands = new Map<string, Demand>()
  for (const { namespace, set, tests, count, totalMs, scanned: records, passed } of scanned) {
    if (tests.length === 0) continue
    demands.set(nameOf(set, shapeText(tests)), {
      namespace,
      ...(set !== undefined && { set }),
      tests,
      queries: { count, totalMs },
      slow: none,
      scanned: Math.round(records / count),
      ...(passed !== undefined && { passed }),
    })
  }
  for (const { namespace, set, filterShape = '', count, totalMs } of slow) {
    const name = nameOf(set, filterShape)
    const known = demands.get(name)
    const tests = known?.tests ?? testsOfText(filterShape)
    if (tests === undefined) continue
    const before = known?.slow ?? none
    demands.set(name, {
      ...(known ?? { namespace, ...(set !== undefined && { set }), tests, queries: none, scanned: 0 }),
      slow: { count: before.count + count, totalMs: before.totalMs + totalMs },
    })
  }
  return [...demands.values()]
}

/** By set; undefined: of all records. */
function grouped<T extends { set?: string }>(all: readonly T[]): Map<string | undefined, T[]> {
  const bySet = new Map<string | undefined, T[]>()
  for (const one of all) bySet.set(one.set, [...(bySet.get(one.set) ?? []), one])
  return bySet
}

/** The set of this name, which is the first of those that begin with it; undefined: there is none. */
async function setOf(engine: Engine, namespace: string, name: string): Promise<RecordSet | undefined> {
  const { sets } = await engine.setPage(namespace, { start: name, sort: 'name', descending: false, limit: 1 })
  return sets.find((set) => set.name === name)
}

const nameOf = (set: string | undefined, shape: string): string => JSON.stringify([set ?? null, shape])

async function setIndexesOf(
  namespace: string,
  scanned: readonly ScannedShape[],
  engine: Engine,
): Promise<AdvisedSetIndex[]> {
  const bySet = grouped(scanned)
  const all = await engine.size(namespace)
  const advised: AdvisedSetIndex[] = []
  for (const [set, shapes] of bySet) {
    if (set === undefined || set === '') continue
    const found = await setOf(engine, namespace, set)
    if (found === undefined || found.index.state !== 'off' || found.records > all * SMALL_PART) continue
    const queries = {
      count: shapes.reduce((sum, { byColumn }) => sum + byColumn, 0),
      totalMs: shapes.reduce((sum, { byColumn, count, totalMs }) => sum + (totalMs * byColumn) / count, 0),
    }
    if (queries.count === 0) continue
    const records = { before: all, after: found.records }
    advised.push({
      set,
      ...setIndexLine(namespace, set, { queries, records }),
      queries,
      records,
      bytes: found.records * SET_INDEX_BYTES,
    })
  }
  return advised.toSorted((a, b) => b.queries.totalMs - a.queries.totalMs)
}

/** Those that no query has used for 14 days. One whose uses are counted for a shorter time is not among them. */
export const unusedOf = (indexes: readonly Index[], nowMs: number): UnusedIndex[] =>
  indexes
    .filter(
      ({ state, lastUsedAt, usesSince }) =>
        state === 'ready' && nowMs - Date.parse(lastUsedAt ?? usesSince) >= UNUSED_MS,
    )
    .map((index) => ({
      name: index.name,
      ...unusedLine(index),
      bytes: index.bytes,
      ...(index.lastUsedAt !== undefined && { lastUsedAt: index.lastUsedAt }),
    }))
    .toSorted((a, b) => b.bytes - a.bytes)
