import { count, latency } from '../../../format'
import type { WhereNode } from '../../../records/request/where'
import type { Plan } from '../../query/plan/plan'
import { fieldOf } from './chips'
import { t } from '../../../language/text'

/** Milliseconds from which on a list asks before it reads all records. */
const ASKS_FROM_MS = 3000

export interface Hint {
  /** plain: there is nothing to mend */
  tone: 'good' | 'warn' | 'plain'
  text: string
}

const namesOf = ({ indexes, index }: Plan): readonly string[] => indexes ?? (index === undefined ? [] : [index])

/** The cheapest way by indexes, if the plan has compared one with what it takes: names, of several together none. */
const leftAlone = ({ alternatives = [] }: Plan): { index?: string } | undefined =>
  alternatives.find(({ method, index }) => index !== undefined || method === 'indexes')

const within = (estimatedMs: number | undefined): string =>
  estimatedMs === undefined ? '' : latency(Math.max(1, estimatedMs) * 1e6)

/** What a list costs before it runs. */
export function hintOf(plan: Plan): Hint {
  const { method, estimatedCandidates: records, estimatedMs } = plan
  const names = namesOf(plan)
  const time = within(estimatedMs)
  if (method === 'range-order')
    return { tone: 'good', text: t('The index {value} has this order.', { value: names.join(', ') }) }
  if (names.length > 0) {
    const used =
      names.length === 1
        ? t('Uses the index {value}', { value: names.join('') })
        : t('Uses the indexes {value}', { value: names.join(', ') })
    return {
      tone: 'good',
      text:
        records === undefined
          ? `${used}.`
          : t('{used}: checks {records, plural, one {# record} other {# records}}.', { used, records }),
    }
  }
  const scan = scanWords(records, time)
  const other = leftAlone(plan)
  if (other !== undefined) {
    const why =
      other.index === undefined
        ? t('A scan costs less than the indexes.')
        : t('A scan costs less than the index {index}.', { index: other.index })
    return { tone: 'plain', text: `${why} ${scan}` }
  }
  // An engine that names no other ways may have an index that it left alone.
  if (plan.alternatives === undefined) return { tone: 'plain', text: scan }
  return { tone: 'warn', text: `${t('No index helps.')} ${scan}` }
}

function scanWords(records: number | undefined, time: string): string {
  if (records === undefined) return t('Scans all records.')
  return time === ''
    ? t('Scans {records, plural, one {# record} other {# records}}.', { records })
    : t('Scans {records, plural, one {# record} other {# records}} in about {time}.', { records, time })
}

/** What one chip costs: the index that finds its records, or how many have to be checked. */
export function chipHint(chip: WhereNode, plan: Plan): Hint {
  const used = chip.kind === 'test' ? indexFor(fieldOf(chip.row), chip.row.bin, plan) : undefined
  if (used !== undefined) return { tone: 'good', text: t('uses index {used}', { used }) }
  // An `or`, and what no row shows, is looked up as a whole.
  if (chip.kind !== 'test' && namesOf(plan).length > 0) return { tone: 'good', text: t('uses an index') }
  const { estimatedCandidates: records } = plan
  return {
    tone: 'warn',
    text: records === undefined ? t('checks records') : t('checks {records}', { records: count(records) }),
  }
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
