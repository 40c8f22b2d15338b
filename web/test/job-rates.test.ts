import { describe, expect, test } from 'vitest'
import type { Job } from '../src/api/types'
import { withOther } from '../src/charts/spec/others'
import { JobRates, noteProgress, onProgress, ratesOf, ratesSpec } from '../src/components/jobs/job-rates'

const START_MS = Date.parse('2026-01-01T00:00:00Z')

const jobAt = (done: number, part: Partial<Job> = {}): Job => ({
  id: 'j',
  kind: 'scan',
  namespace: 'n',
  title: 'Scan n',
  parameters: {},
  state: 'running',
  done,
  unit: 'records',
  ratePerSecond: 0,
  threads: 1,
  createdAt: '2026-01-01T00:00:00Z',
  startedAt: '2026-01-01T00:00:00Z',
  damaged: 0,
  ...part,
})

const lanesOf = (...done: number[]): Partial<Job> => ({
  lanes: done.map((one, worker) => ({ worker, state: 'working', done: one, ratePerSecond: 0 })),
})

/** What a console saw of a job, in seconds since its start. */
function seen(...steps: [seconds: number, job: Job][]): JobRates {
  const rates = new JobRates()
  for (const [seconds, job] of steps) rates.add(job, START_MS + seconds * 1000)
  return rates
}

describe('the rate of a job', () => {
  test('is the work between two looks; the first is the average since the start', () => {
    const rates = seen([10, jobAt(1000)], [10.2, jobAt(1500)], [11, jobAt(1600)], [13, jobAt(1600)])
    const spec = ratesSpec(rates)
    expect(spec?.series.map(({ name, values }) => [name, values])).toEqual([['rate', [100, 600, 0]]])
    expect(spec?.x.range).toEqual({ from: START_MS, to: START_MS + 13_000 })
  })

  test('is no chart before two rates are known, nor for a job that ended before', () => {
    expect(ratesSpec(seen([1, jobAt(10)]))).toBeUndefined()
    const ended = jobAt(10, { state: 'done', endedAt: '2026-01-01T00:00:09Z' })
    expect(ratesSpec(seen([99, ended], [100, ended]))).toBeUndefined()
    expect(seen([1, { ...jobAt(0), startedAt: undefined } as unknown as Job]).seen).toEqual([])
  })

  test('ends where the job ended', () => {
    const ended = jobAt(400, { state: 'done', endedAt: '2026-01-01T00:00:02.500Z' })
    const rates = seen([1, jobAt(100)], [2, jobAt(200)], [60, ended], [61, ended])
    expect(ratesSpec(rates)?.series[0]?.values).toEqual([100, 100, 400])
  })

  const progress = { stepMs: 1000, done: [100, 300, 300, 400] }

  test('of a job that ended before anybody looked is what the server noted', () => {
    const ended = jobAt(450, { state: 'done', endedAt: '2026-01-01T00:00:04.500Z', progress })
    const rates = seen([99, ended], [100, ended])
    expect(ratesSpec(rates)?.series[0]?.values).toEqual([100, 200, 0, 100, 100])
    expect(ratesSpec(rates)?.x.range).toEqual({ from: START_MS, to: START_MS + 4500 })
  })

  test('before the first look is what the server noted, also if the list showed the job first', () => {
    const rates = seen([5, jobAt(700)])
    const before = rates.seen
    // A page that shows the job asks for more than the list has.
    rates.add(jobAt(700, { progress }), START_MS + 5000)
    expect(rates.seen).not.toBe(before)
    rates.add(jobAt(900, { progress: { ...progress, done: [...progress.done, 700] } }), START_MS + 6000)
    expect(ratesSpec(rates)?.series[0]?.values).toEqual([100, 200, 0, 100, 300, 200])
  })

  test('is shown by worker, also of one that came later', () => {
    const rates = seen(
      [1, jobAt(30, lanesOf(10, 20))],
      [1.9, jobAt(35)],
      [2, jobAt(90, lanesOf(40, 50))],
      [3, jobAt(120, lanesOf(50, 60, 10))],
    )
    const values = new Map(ratesSpec(rates)?.series.map((series) => [series.name, series.values]))
    expect([...values]).toEqual([
      ['all workers', [30, 60, 30]],
      ['worker 1', [null, 30, 10]],
      ['worker 2', [null, 30, 10]],
      ['worker 3', [null, null, null]],
    ])
  })

  test('takes the workers that a page asks for, whatever the live stream says beside it', () => {
    const rates = seen(
      [1, jobAt(10)],
      [2, jobAt(20)],
      [2.3, jobAt(23, lanesOf(12, 11))],
      [2.8, jobAt(28, lanesOf(15, 13))],
      [3, jobAt(30)],
      [3.3, jobAt(33, lanesOf(17, 16))],
    )
    expect(rates.seen.map(({ done, lanes }) => [done, ...lanes])).toEqual([[0], [10], [23, 12, 11], [33, 17, 16]])
  })

  test('is kept in bounds, however long the job runs', () => {
    const rates = new JobRates()
    for (let second = 1; second <= 5000; second++) rates.add(jobAt(second * 7), START_MS + second * 1000)
    expect(rates.seen.length).toBeLessThanOrEqual(241)
    const values = ratesSpec(rates)?.series[0]?.values ?? []
    expect(values.length).toBeGreaterThan(100)
    expect(values.every((value) => Math.abs((value ?? 0) - 7) < 1e-9)).toBe(true)
  })

  test('is remembered of the newest fifty jobs, and told', () => {
    let told = 0
    const stop = onProgress(() => told++)
    for (let at = 0; at < 60; at++) noteProgress(jobAt(5, { id: `job ${at}` }), START_MS + 5000)
    stop()
    noteProgress(jobAt(9, { id: 'job 59' }), START_MS + 9000)
    expect(told).toBe(60)
    expect([ratesOf('job 9'), ratesOf('job 10')?.seen.length, ratesOf('job 59')?.seen.length]).toEqual([
      undefined,
      2,
      3,
    ])
  })
})

test('series beyond the palette are added up', () => {
  const parts = [1, 2, 3, 4, 5, 6, 7].map((at) => ({
    id: `${at}`,
    name: `${at}`,
    values: [at, null, at === 7 ? 1 : null],
  }))
  const six = withOther(parts)
  expect(six.map(({ name, colour }) => [name, colour])).toEqual([
    ['1', 1],
    ['2', 2],
    ['3', 3],
    ['4', 4],
    ['3 others', 5],
  ])
  expect(six.at(-1)?.values).toEqual([18, null, 1])
  expect(withOther(parts.slice(0, 5)).map(({ name }) => name)).toEqual(['1', '2', '3', '4', '5'])
  expect(withOther(parts.slice(0, 5), 1).map(({ name, colour }) => [name, colour])).toEqual([
    ['1', 2],
    ['2', 3],
    ['3', 4],
    ['2 others', 5],
  ])
})
