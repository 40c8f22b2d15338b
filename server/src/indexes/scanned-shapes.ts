// Queries and scans that no index has helped, by the shape of their filters: in memory, since the server began.
import type { StreamSummary } from '../schemas/records/search.js'
import { shapeText, type Test } from './shape.js'

/** Shapes that are kept. The one that was used the longest ago goes first. */
const SHAPES_MAX = 500

/** How records were found without a document or range index. */
const SCANS: ReadonlySet<string> = new Set(['all', 'set-column', 'set-index', 'device-sequential', 'token-ranges'])

export interface ScannedShape {
  readonly namespace: string
  /** Empty: records without a set. Unset: all records. */
  readonly set?: string
  /** Empty: there is no filter, or none that an index could help. */
  readonly tests: readonly Test[]
  count: number
  totalMs: number
  scanned: number
  /** Records that passed the filter, of the runs that tell: those that answered all of them. */
  passed?: { least: number; most: number; total: number; runs: number }
  /** Runs that looked at the set among all records, because it has no index. */
  byColumn: number
}

export interface Run {
  namespace: string
  set: string | undefined
  tests: readonly Test[]
  /** Whether it answered every record that passed, as records. */
  whole: boolean
  summary: Pick<StreamSummary, 'method' | 'elapsedMs' | 'scanned' | 'returned' | 'truncated'>
}

export class ScannedShapes {
  readonly since = new Date().toISOString()
  readonly #shapes = new Map<string, ScannedShape>()

  note({ namespace, set, tests, whole, summary }: Run): void {
    if (!SCANS.has(summary.method)) return
    const name = JSON.stringify([namespace, set ?? null, shapeText(tests)])
    const shape = this.#shapes.get(name) ?? {
      namespace,
      ...(set !== undefined && { set }),
      tests,
      count: 0,
      totalMs: 0,
      scanned: 0,
      byColumn: 0,
    }
    shape.count += 1
    shape.totalMs += summary.elapsedMs
    shape.scanned += summary.scanned
    if (summary.method !== 'set-index') shape.byColumn += 1
    if (whole && !summary.truncated) shape.passed = withRun(shape.passed, summary.returned)
    // The last one is the one that was used last.
    this.#shapes.delete(name)
    this.#shapes.set(name, shape)
    if (this.#shapes.size <= SHAPES_MAX) return
    const [oldest = ''] = this.#shapes.keys()
    this.#shapes.delete(oldest)
  }

  of(namespace: string): ScannedShape[] {
    return [...this.#shapes.values()].filter((shape) => shape.namespace === namespace)
  }

  /** A namespace was dropped: another one of its name begins with none. */
  forget(namespace: string): void {
    for (const [name, shape] of this.#shapes) if (shape.namespace === namespace) this.#shapes.delete(name)
  }
}

function withRun(passed: ScannedShape['passed'], returned: number): NonNullable<ScannedShape['passed']> {
  if (passed === undefined) return { least: returned, most: returned, total: returned, runs: 1 }
  return {
    least: Math.min(passed.least, returned),
    most: Math.max(passed.most, returned),
    total: passed.total + returned,
    runs: passed.runs + 1,
  }
}
