import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import type { Job, JobLane, ScanPlan } from '../src/api/types'
import { JobLanes } from '../src/components/jobs/JobLanes'
import { ms } from '../src/pages/scans/cost'
import { emptyScan, scanBody, scanJobBody } from '../src/pages/scans/scan-form'
import { ScanCostCard } from '../src/pages/scans/ScanCostCard'

const job: Job = {
  id: '1',
  kind: 'scan',
  namespace: 'n',
  title: 'Scan n',
  parameters: { method: 'set-index' },
  state: 'running',
  done: 30,
  unit: 'records',
  ratePerSecond: 100,
  threads: 2,
  createdAt: '2026-01-01T00:00:00Z',
  damaged: 0,
}

function text(element: ReactElement): string {
  return renderToStaticMarkup(element)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

describe('lanes', () => {
  const lane = (worker: number, part: Partial<JobLane> = {}): JobLane => ({
    worker,
    state: 'working',
    item: worker,
    items: 256,
    done: 10 * worker,
    ratePerSecond: 50 * worker,
    ...part,
  })
  const told = (part: Partial<Job>): string => text(createElement(JobLanes, { job: { ...job, ...part } }))

  test('tell what each worker does', () => {
    const lanes = [lane(0), lane(2, { state: 'throttled' }), lane(3, { state: 'sending' })]
    expect(told({ lanes })).toBe(
      '3 workers of Scan n; parts are segments, ranges of a flat container, or runs of blocks of a device worker state part records rate ' +
        '1 working 1 of 256 0 0/s 3 throttled 3 of 256 20 100/s 4 waiting for reader 4 of 256 30 150/s',
    )
  })

  test('of an import are of bytes, without parts', () => {
    const lanes = [{ worker: 0, state: 'working', done: 2048, ratePerSecond: 1024 } as const]
    expect(told({ unit: 'bytes', lanes })).toContain('1 working – 2.00 KiB 1.00 KiB/s')
  })

  test('are there for 128 workers, and gone with them', () => {
    const lanes = Array.from({ length: 128 }, (_, worker) => lane(worker))
    expect(told({ lanes })).toContain('128 working 128 of 256')
    expect(told({})).toBe('')
    expect(told({ lanes: [] })).toBe('')
  })
})

describe('the cost of a scan', () => {
  const plan: ScanPlan = {
    method: 'set-index',
    estimatedMs: 12.5,
    estimatedRecords: 1000,
    namespaceRecords: 5000,
    segments: 16,
    threads: 2,
    reason: 'the set has an index',
    alternatives: [
      { method: 'set-index', estimatedMs: 12.5 },
      { method: 'set-column', estimatedMs: 40 },
      { method: 'device-sequential', estimatedMs: 900 },
    ],
  }
  const told = (part: Partial<Job>): string => text(createElement(ScanCostCard, { plan, job: { ...job, ...part } }))

  test('stands beside the plan, and every alternative keeps its estimate', () => {
    expect(told({ state: 'done', threads: 4, result: { returned: 7, scanned: 990, elapsedMs: 9.25 } })).toBe(
      'Cost the last scan against its plan Cost planned took plan the set index the set index ' +
        'by the set index ≈ 12.5 ms 9.25 ms by the set column ≈ 40.0 ms – by the device, block by block ≈ 900 ms – ' +
        'records scanned 1,000 990 threads 2 4',
    )
  })

  test('has what was read from a device', () => {
    const reads = { records: 12, blocks: 3, bytes: 1_048_576 }
    expect(told({ result: { scanned: 990, elapsedMs: 9.25, reads } })).toContain(
      'read one by one – 12 records read whole – 3 blocks read from the device – 1.00 MiB',
    )
  })

  test('has the plan that was run, if it was another one', () => {
    const parameters = { method: 'set-column' }
    expect(told({ parameters, result: { scanned: 990, elapsedMs: 51 } })).toContain(
      'plan the set index the set column by the set index ≈ 12.5 ms – by the set column ≈ 40.0 ms 51.0 ms',
    )
  })

  test('is nothing while the scan runs, or where it did not end well', () => {
    expect(told({})).toBe('')
    expect(told({ state: 'aborted' })).toBe('')
  })

  test('is told with as many digits as say something', () => {
    expect([0.214, 7.25, 12.55, 312.4, 12_345].map(ms)).toEqual(['214 µs', '7.25 ms', '12.6 ms', '312 ms', '12.3 s'])
  })
})

describe('the request of a scan', () => {
  test('names a plan only where one is chosen', () => {
    expect(JSON.parse(scanBody('s', emptyScan, 2))).not.toHaveProperty('plan')
    expect(JSON.parse(scanBody('s', { ...emptyScan, plan: 'device' }, 2))).toMatchObject({ plan: 'device' })
  })

  test('as a job has what decides which records are read, and nothing of how they travel', () => {
    const form = {
      ...emptyScan,
      bins: 'a',
      recordsPerSecond: '5',
      plan: 'set-index',
      sample: 'share',
      part: '50',
    } as const
    expect(JSON.parse(scanJobBody('n', '', { ...form, where: '{"bin":"a","op":"exists"}' }, 8))).toEqual({
      kind: 'scan',
      namespace: 'n',
      set: '',
      threads: 8,
      useIndex: 'auto',
      plan: 'set-index',
      sample: { share: 0.5, seed: 0 },
      where: { bin: 'a', op: 'exists' },
    })
  })
})
