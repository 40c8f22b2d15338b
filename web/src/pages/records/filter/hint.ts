import { count, latency, plural } from '../../../format'
import type { WhereNode } from '../../../records/request/where'
import type { Plan } from '../../query/plan/plan'
import { fieldOf } from './chips'

/** Milliseconds from which on a list asks before it reads all records. */
const ASKS_FROM_MS = 3000

export interface Hint {
  tone: 'good' | 'warn'
  text: string
}

const namesOf = ({ indexes, index }: Plan): readonly string[] => indexes ?? (index === undefined ? [] : [index])

const within = (estimatedMs: number | undefined): string =>
  estimatedMs === undefined ? '' : latency(Math.max(1, estimatedMs) * 1e6)

/** What a list costs before it runs. */
export function hintOf(plan: Plan): Hint {
  const { method, estimatedCandidates: records, estimatedMs } = plan
  const names = namesOf(plan)
  const time = within(estimatedMs)
  if (method === 'range-order') return { tone: 'good', text: `The index ${names.join(', ')} has this order.` }
  if (names.length > 0) {
    const used = names.length === 1 ? `Uses the index ${names.join('')}` : `Uses the indexes ${names.join(', ')}`
    return { tone: 'good', text: records === undefined ? `${used}.` : `${used}: checks ${plural(records, 'record')}.` }
  }
  if (records === undefined) return { tone: 'warn', text: 'No index helps: scans all records.' }
  if (time === '') return { tone: 'warn', text: `No index helps: scans ${plural(records, 'record')}.` }
  return { tone: 'warn', text: `No index helps: scans ${plural(records, 'record')} in about ${time}.` }
}

/** What one chip costs: the index that finds its records, or how many have to be checked. */
export function chipHint(chip: WhereNode, plan: Plan): Hint {
  const used = chip.kind === 'test' ? indexFor(fieldOf(chip.row), chip.row.bin, plan) : undefined
  if (used !== undefined) return { tone: 'good', text: `uses index ${used}` }
  // An `or`, and what no row shows, is looked up as a whole.
  if (chip.kind !== 'test' && namesOf(plan).length > 0) return { tone: 'good', text: 'uses an index' }
  const { estimatedCandidates: records } = plan
  return { tone: 'warn', text: records === undefined ? 'checks records' : `checks ${count(records)}` }
}

/** The index that a plan asks for a field. */
function indexFor(field: string, bin: string, { steps }: Plan): string | undefined {
  const step = steps.find(
    ({ index, on, terms }) =>
      index !== undefined &&
      (on === field || on === bin || (on === 'record' && terms.some(({ path }) => path.split(/[.[]/)[0] === bin))),
  )
  return step?.index
}

/** Whether the reader is asked first, because it reads so much. */
export const isLarge = ({ estimatedMs = 0 }: Plan): boolean => estimatedMs >= ASKS_FROM_MS
