import type { SearchSchemaInput } from '@tanstack/react-router'
import { OPERATIONS } from '../../live/filter'
import { textOf, timeOf } from '../../search'

/** What the Slow operations page keeps in its URL. */
export interface SlowSearch {
  ns?: string | undefined
  op?: (typeof OPERATIONS)[number] | undefined
  group: 'none' | 'shape'
  sort: 'newest' | 'slowest'
  /** Unix milliseconds: those that ended from then on, and before the other */
  from?: number | undefined
  to?: number | undefined
  /** those that took the engine at least so long, and less than so long */
  minEngineMs?: number | undefined
  belowEngineMs?: number | undefined
}

export function readSlowSearch(raw: Partial<SlowSearch> & SearchSchemaInput): SlowSearch {
  return {
    ns: textOf(raw.ns),
    op: OPERATIONS.find((op) => op === raw.op),
    group: raw.group === 'shape' ? 'shape' : 'none',
    sort: raw.sort === 'slowest' ? 'slowest' : 'newest',
    from: timeOf(raw.from),
    to: timeOf(raw.to),
    minEngineMs: millisecondsOf(raw.minEngineMs),
    belowEngineMs: millisecondsOf(raw.belowEngineMs),
  }
}

const HOUR_MS = 3_600_000

const millisecondsOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= HOUR_MS ? value : undefined
