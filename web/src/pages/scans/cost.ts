import type { Job, ScanPlan } from '../../api/types'
import { bytes, count } from '../../format'
import { methodWords } from './methods'

/** A line of the table: what the plan said, and what it came to. */
export interface CostRow {
  what: string
  planned: string
  took: string
}

/** Milliseconds with as many digits as tell something: 0.21 ms, 7.4 ms, 312 ms. */
export function ms(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value >= 10_000 ? `${(value / 1000).toFixed(1)} s` : `${value.toFixed(digits)} ms`
}

/** What a scan was thought to cost beside what it cost; empty until it has ended well. */
export function costRows(plan: ScanPlan, job: Job): CostRow[] {
  const result = job.result ?? {}
  const elapsedMs = numberIn(result, 'elapsedMs')
  if (elapsedMs === undefined) return []
  const taken = typeof job.parameters['method'] === 'string' ? job.parameters['method'] : plan.method
  const scanned = numberIn(result, 'scanned')
  // Every alternative keeps its estimate; the one taken has its time beside it.
  const ways = plan.alternatives.map(({ method, estimatedMs }) => ({
    what: methodWords(method),
    planned: `≈ ${ms(estimatedMs)}`,
    took: method === taken ? ms(elapsedMs) : '',
  }))
  const known = plan.alternatives.some(({ method }) => method === taken)
  const reads = typeof result['reads'] === 'object' && result['reads'] !== null ? { ...result['reads'] } : undefined
  const read = (name: string): number => (reads === undefined ? 0 : (numberIn(reads, name) ?? 0))
  return [
    { what: 'way', planned: methodWords(plan.method), took: methodWords(taken) },
    ...(known ? [] : [{ what: 'time', planned: `≈ ${ms(plan.estimatedMs)}`, took: ms(elapsedMs) }]),
    ...ways.map(({ what, ...times }) => ({ what: `by ${what}`, ...times })),
    {
      what: 'records looked at',
      planned: count(plan.estimatedRecords),
      took: scanned === undefined ? '' : count(scanned),
    },
    { what: 'threads', planned: count(plan.threads), took: count(job.threads) },
    ...(reads === undefined
      ? []
      : [
          { what: 'read one by one', planned: '', took: `${count(read('records'))} records` },
          { what: 'read whole', planned: '', took: `${count(read('blocks'))} blocks` },
          { what: 'read from the device', planned: '', took: bytes(read('bytes')) },
        ]),
  ]
}

function numberIn(object: object, name: string): number | undefined {
  const value = (object as Record<string, unknown>)[name]
  return typeof value === 'number' ? value : undefined
}
