import { type AggregateRow, aggregateProblem, aggregateText } from '../../records/request/aggregate'
import { jsonProblem } from '../../records/bins'
import { requestBody } from '../../records/body'
import { t } from '../../language/text'
import { type Bounds, boundsWords, isWithin, ONE_OR_MORE, THREADS } from '../../ui/number'

export interface ScanForm {
  threads: string
  recordsPerSecond: string
  useIndex: 'auto' | 'force' | 'never'
  plan: 'auto' | 'set-index' | 'set-column' | 'device'
  limit: string
  bins: string
  where: string
  sample: 'all' | 'share' | 'first'
  /** percent for a share; number of records for the first */
  part: string
  /** seed of a share */
  seed: string
  aggregates: readonly AggregateRow[]
}

export const emptyScan: ScanForm = {
  threads: '',
  recordsPerSecond: '',
  useIndex: 'auto',
  plan: 'auto',
  limit: '1000',
  bins: '',
  where: '',
  sample: 'all',
  part: '1',
  seed: '0',
  aggregates: [],
}

/** How many percent of the records a sample may have. */
export const SHARE: Bounds = { min: 0, max: 100, above: true, decimal: true }

const isCount = (text: string): boolean => text === '' || isWithin(text, ONE_OR_MORE)

export function scanProblems(form: ScanForm): Partial<Record<keyof ScanForm, string>> {
  return {
    ...(form.threads !== '' && !isWithin(form.threads, THREADS) && { threads: boundsWords(THREADS) }),
    ...(!isCount(form.recordsPerSecond) && { recordsPerSecond: boundsWords(ONE_OR_MORE) }),
    ...(form.sample === 'share' && !isWithin(form.part, SHARE) && { part: t('More than 0, up to 100') }),
    ...(form.sample === 'first' && !isWithin(form.part, ONE_OR_MORE) && { part: boundsWords(ONE_OR_MORE) }),
    ...(form.sample === 'share' && !isWithin(form.seed, {}) && { seed: boundsWords({}) }),
    ...(form.aggregates.some((row) => aggregateProblem(row) !== undefined) && {
      aggregates: t('Complete the marked fields'),
    }),
    ...(!isCount(form.limit) && { limit: boundsWords(ONE_OR_MORE) }),
    ...(form.where.trim() !== '' && jsonProblem(form.where) !== undefined && { where: t('Enter valid JSON') }),
  }
}

export const hasLimit = (form: ScanForm): boolean => form.sample !== 'first' && form.aggregates.length === 0

function sampleOf({ sample, part, seed }: ScanForm): Record<string, number> | undefined {
  if (sample === 'all') return undefined
  return sample === 'first' ? { first: Number(part) } : { share: Number(part) / 100, seed: Number(seed) }
}

const planOf = ({ plan }: ScanForm): string | undefined => (plan === 'auto' ? undefined : plan)

/** The same scan as a background job with `threads` and no throttle. It reads the records and returns none. */
export function scanJobBody(ns: string, set: string | undefined, form: ScanForm, threads: number): string {
  const { useIndex } = form
  return requestBody(
    { kind: 'scan', namespace: ns, set, threads, useIndex, plan: planOf(form), sample: sampleOf(form) },
    { where: form.where, aggregate: aggregateText(form.aggregates) },
  )
}

/** The scan's request as JSON text. */
export function scanBody(set: string | undefined, form: ScanForm, cpus: number): string {
  const bins = form.bins
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return requestBody(
    {
      set,
      threads: form.threads === '' ? cpus : Number(form.threads),
      recordsPerSecond: form.recordsPerSecond === '' ? undefined : Number(form.recordsPerSecond),
      bins: bins.length === 0 ? undefined : bins,
      useIndex: form.useIndex,
      plan: planOf(form),
      // Figures and "the first" have no pages.
      limit: form.limit === '' || !hasLimit(form) ? undefined : Number(form.limit),
      sample: sampleOf(form),
    },
    { where: form.where, aggregate: aggregateText(form.aggregates) },
  )
}
