import type { Job } from '../../api/types'
import { t } from '../../language/text'

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
  'index-build': t('Index build'),
  'set-index-build': t('Set index build'),
  scan: t('Scan'),
  count: t('Count'),
  query: t('Query'),
  stream: t('Stream'),
  import: t('Import'),
  export: t('Export'),
  truncate: t('Truncate'),
  workload: t('Workload'),
  scrub: t('Scrub'),
  calibrate: t('Calibration'),
  compaction: t('Compaction'),
  migrate: t('Migration'),
  backup: t('Backup'),
  restore: t('Restore'),
  verify: t('Verification of a backup'),
}
