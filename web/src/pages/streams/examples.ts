import { t } from '../../language/text'
import { aggregateText, emptyAggregate } from '../../records/request/aggregate'
import { binsOf } from '../../records/rows/columns'
import { type Exact, isIntegerText, LosslessNumber } from '../../records/json'
import { columnsText, emptyColumn, noGroup } from '../../records/request/request-fields'
import { groupingText, sortText } from '../../records/request/step-forms'
import { newStep, type StepKind, stepsText } from '../../records/request/steps'
import { isMeta } from '../../records/request/source'

/** An example pipeline. */
export interface Example {
  title: string
  /** JSON text */
  steps: string
}

/** Most groups of an example. */
const TOP = '20'

/** Example pipelines for records like these, with metadata if no bin is suitable. */
export function examplesOf(sample: readonly Exact[]): Example[] {
  const [kind = '@set', other = kind] = textBins(sample)
  const number = numberBin(sample) ?? '@size'
  const called = (name: string): string => (isMeta(name) ? name.slice(1) : name)
  const group = { ...noGroup, by: [{ ...emptyColumn, bin: kind }], top: TOP }
  const order = { bin: number, path: '', desc: true }
  const sum = { ...emptyAggregate, op: 'sum', bin: number } as const
  return [
    example(t('records by {bin}', { bin: called(kind) }), ['groupBy', groupingText({ group, figures: [] })]),
    example(
      t('distinct {bin}', { bin: called(other) }),
      ['map', columnsText([{ ...emptyColumn, bin: other }])],
      ['distinct', 'true'],
      ['limit', '100'],
    ),
    example(t('top ten by {bin}', { bin: called(number) }), ['sort', sortText({ order, limit: '10' })]),
    example(t('sum of {bin} by {by}', { bin: called(number), by: called(kind) }), [
      'groupBy',
      groupingText({ group, figures: [sum] }),
    ]),
    example(t('sum of {bin}', { bin: called(number) }), ['reduce', aggregateText([sum])]),
  ]
}

function example(title: string, ...steps: [kind: StepKind, text: string | undefined][]): Example {
  return { title, steps: stepsText(steps.map(([kind, text]) => newStep(kind, text))) ?? '[]' }
}

/**
 * Text bins, those with the fewest distinct values first. Bins with only distinct values count only
 * if there are no others.
 */
function textBins(sample: readonly Exact[]): string[] {
  const values = new Map<string, Set<string>>()
  for (const record of sample)
    for (const [name, value] of Object.entries(binsOf(record)))
      if (typeof value === 'string') values.set(name, (values.get(name) ?? new Set()).add(value))
  const all = [...values].toSorted(([, a], [, b]) => a.size - b.size)
  const repeated = all.filter(([, { size }]) => size > 1 && size < sample.length)
  return (repeated.length > 0 ? repeated : all).map(([name]) => name)
}

/** A number bin worth summing: decimals first, ids last. */
function numberBin(sample: readonly Exact[]): string | undefined {
  const rank = new Map<string, number>()
  for (const record of sample)
    for (const [name, value] of Object.entries(binsOf(record)))
      if (value instanceof LosslessNumber) {
        const worth = /(^|_)id$/i.test(name) ? 2 : isIntegerText(value.value) ? 1 : 0
        rank.set(name, Math.min(worth, rank.get(name) ?? worth))
      }
  return [...rank].toSorted(([, a], [, b]) => a - b)[0]?.[0]
}
