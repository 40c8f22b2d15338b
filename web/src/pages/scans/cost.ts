import type { Job, ScanPlan } from '../../api/types'
import { bytes, count, latency } from '../../format'
import { methodWords } from './methods'
import { t } from '../../language/text'

/** A row of the table: planned and actual. */
export interface CostRow {
  what: string
  planned: string
  took: string
}

/** Milliseconds as each latency is written: 210 µs, 7.40 ms, 312 ms. */
export const ms = (value: number): string => latency(value * 1e6)

const about = (value: number | undefined): string => (value === undefined ? '' : `≈ ${ms(value)}`)

/** Planned against actual cost of a scan; empty until it has ended successfully. */
export function costRows(plan: ScanPlan, job: Job): CostRow[] {
  const result = job.result ?? {}
  const elapsedMs = numberIn(result, 'elapsedMs')
  if (elapsedMs === undefined) return []
  const taken = typeof job.parameters['method'] === 'string' ? job.parameters['method'] : plan.method
  const scanned = numberIn(result, 'scanned')
  // Every alternative shows its estimate; the chosen one also its time.
  const ways = plan.alternatives.map(({ method, estimatedMs }) => ({
    what: methodWords(method),
    planned: `≈ ${ms(estimatedMs)}`,
    took: method === taken ? ms(elapsedMs) : '',
  }))
  const known = plan.alternatives.some(({ method }) => method === taken)
  const reads = typeof result['reads'] === 'object' && result['reads'] !== null ? { ...result['reads'] } : undefined
  const read = (name: string): number => (reads === undefined ? 0 : (numberIn(reads, name) ?? 0))
  return [
    { what: t('plan'), planned: methodWords(plan.method), took: methodWords(taken) },
    ...(known ? [] : [{ what: t('time'), planned: about(plan.estimatedMs), took: ms(elapsedMs) }]),
    ...ways.map(({ what, ...times }) => ({ what: t('by {what}', { what }), ...times })),
    {
      what: t('records scanned'),
      planned: plan.estimatedRecords === undefined ? '' : count(plan.estimatedRecords),
      took: scanned === undefined ? '' : count(scanned),
    },
    { what: t('threads'), planned: count(plan.threads), took: count(job.threads) },
    ...(reads === undefined
      ? []
      : [
          {
            what: t('read one by one'),
            planned: '',
            took: t('{n, plural, one {# record} other {# records}}', { n: read('records') }),
          },
          {
            what: t('read whole'),
            planned: '',
            took: t('{n, plural, one {# block} other {# blocks}}', { n: read('blocks') }),
          },
          { what: t('read from the device'), planned: '', took: bytes(read('bytes')) },
        ]),
  ]
}

function numberIn(object: object, name: string): number | undefined {
  const value = (object as Record<string, unknown>)[name]
  return typeof value === 'number' ? value : undefined
}
