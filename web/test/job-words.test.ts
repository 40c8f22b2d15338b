import { expect, test } from 'vitest'
import type { Job } from '../src/api/types'
import { progressWords } from '../src/components/jobs/JobPanel'

const job: Job = {
  id: 'a',
  kind: 'index-build',
  namespace: 'shop',
  title: 'Build index payload',
  parameters: {},
  state: 'running',
  done: 50_000,
  total: 200_000,
  unit: 'records',
  ratePerSecond: 10_000,
  threads: 2,
  createdAt: '2026-11-30T00:00:00.000Z',
  damaged: 0,
}

test('the time left is said with its range', () => {
  const running = { ...job, etaSeconds: 15.2, etaLeastSeconds: 12.6, etaMostSeconds: 71 }
  expect(progressWords(running)).toContain('15 s left (13 s to 1 min 11 s)')
})

test('a range that is no wider than the digits is left out', () => {
  const sure = { ...job, etaSeconds: 15.2, etaLeastSeconds: 15.1, etaMostSeconds: 15.3 }
  expect(progressWords(sure)).toContain(' · 15 s left · ')
  expect(progressWords({ ...job, etaSeconds: 15.2 })).toContain(' · 15 s left · ')
})

test('a job that has ended has no time left', () => {
  expect(progressWords({ ...job, state: 'aborted', etaSeconds: 15.2 })).not.toContain('left')
})
