import { type AggregateRow, aggregateProblem, aggregateText } from '../../records/request/aggregate'
import { jsonProblem } from '../../records/bins'
import { requestBody } from '../../records/body'
import { t } from '../../language/text'

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

export const isThreads = (text: string): boolean => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 128
const isCount = (text: string): boolean => text === '' || /^[1-9]\d{0,14}$/.test(text)

const isShare = (text: string): boolean => /^\d{1,3}(\.\d+)?$/.test(text) && Number(text) > 0 && Number(text) <= 100

export function scanProblems(form: ScanForm): Partial<Record<keyof ScanForm, string>> {
  return {
    ...(form.threads !== '' && !isThreads(form.threads) && { threads: '1 to 128' }),
    ...(!isCount(form.recordsPerSecond) && { recordsPerSecond: t('A whole number, 1 or more') }),
    ...(form.sample === 'share' && !isShare(form.part) && { part: t('More than 0, up to 100') }),
    ...(form.sample === 'first' &&
      (form.part === '' || !isCount(form.part)) && { part: t('A whole number, 1 or more') }),
    ...(form.sample === 'share' && !/^\d{1,15}$/.test(form.seed) && { seed: t('A whole number') }),
    ...(form.aggregates.some((row) => aggregateProblem(row) !== undefined) && {
      aggregates: t('Complete the marked fields'),
    }),
    ...(!isCount(form.limit) && { limit: t('A whole number, 1 or more') }),
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
