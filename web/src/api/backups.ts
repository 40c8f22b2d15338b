import { queryOptions, useQueryClient } from '@tanstack/react-query'
import * as api from '@tessera/client'
import { call } from './client'
import type { BackupRequest, RestoreRequest, ScheduleSettings } from './types'

// Backups and their schedules: reads and changes, one function per route.

/** Where backups are: the name of a bucket that the operator has described; undefined: the backup directory. */
export type Target = string | undefined

const at = (target: Target) => ({ query: target === undefined ? {} : { target } })

/** Names of the buckets. The operator's file is read at each call. */
export const backupTargetsQuery = () =>
  queryOptions({
    queryKey: ['backup-targets'],
    queryFn: () => call(api.listBackupTargets, { query: { limit: 5000 } }),
    select: ({ items }) => items.map(({ name }) => name),
  })

/** All backups there, oldest first. The place is read at each call, so it is read again seldom. */
export const backupsQuery = (target: Target) =>
  queryOptions({
    queryKey: ['backups', target],
    queryFn: () => call(api.listBackups, { query: { limit: 5000, ...at(target).query } }),
    refetchInterval: 10_000,
  })

export const backupSchedulesQuery = () =>
  queryOptions({
    queryKey: ['backup-schedules'],
    queryFn: () => call(api.listBackupSchedules, { query: { limit: 1000 } }),
    refetchInterval: 10_000,
  })

export const startBackup = ({ ns, body }: { ns: string; body: BackupRequest }) =>
  call(api.startBackup, { path: { ns }, body })

/** A backup, and where it is. */
interface Placed {
  id: string
  target: Target
}

export const resumeBackup = ({ id, target }: Placed) =>
  call(api.resumeBackup, { path: { id }, body: {}, ...at(target) })

export const verifyBackup = ({ id, target }: Placed) =>
  call(api.verifyBackup, { path: { id }, body: {}, ...at(target) })

export const restoreBackup = ({ id, target, body }: Placed & { body: RestoreRequest }) =>
  call(api.restoreBackup, {
    path: { id },
    ...at(target),
    ...(body.merge === true && { headers: { 'x-confirm': body.namespace } }),
    body,
  })

export const removeBackup = ({ id, target }: Placed) =>
  call(api.removeBackup, { path: { id }, headers: { 'x-confirm': id }, ...at(target) })

export const setBackupSchedule = ({ ns, body }: { ns: string; body: ScheduleSettings }) =>
  call(api.setBackupSchedule, { path: { ns }, body })

export const removeBackupSchedule = (ns: string) => call(api.removeBackupSchedule, { path: { ns } })

/** Invalidates what a backup, a restore or a schedule may have changed. */
export function useRefreshBackups(): () => void {
  const queries = useQueryClient()
  return () => {
    for (const key of ['backups', 'backup-schedules', 'namespaces', 'jobs', 'status'])
      void queries.invalidateQueries({ queryKey: [key] })
  }
}
