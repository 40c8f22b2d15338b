import type { Job } from '../../api/types'

export function isActive(job: Job): boolean {
  return job.state === 'queued' || job.state === 'running' || job.state === 'paused'
}

/** How far a job is, in percent; undefined where its end is not known. */
export function percentOf(job: Job): number | undefined {
  return job.total === undefined || job.total === 0 ? undefined : Math.min(100, (job.done / job.total) * 100)
}

export const stateTone: Record<Job['state'], string> = {
  queued: '',
  running: 'accent',
  paused: 'warn',
  done: 'good',
  failed: 'bad',
  aborted: 'warn',
}

export const kindLabel: Record<Job['kind'], string> = {
  'index-build': 'Index build',
  'set-index-build': 'Set index build',
  scan: 'Scan',
  count: 'Count',
  query: 'Query',
  stream: 'Stream',
  import: 'Import',
  export: 'Export',
  truncate: 'Truncate',
  workload: 'Workload',
  scrub: 'Scrub',
  calibrate: 'Calibration',
  compaction: 'Compaction',
  migrate: 'Migration',
  backup: 'Backup',
  restore: 'Restore',
  verify: 'Verification of a backup',
}
