import { queryOptions, useQueryClient } from '@tanstack/react-query'
import * as api from '@tessera/client'
import { call } from './client'
import type { BackupRequest, RestoreRequest, ScheduleSettings } from './types'

// Backups and their schedules: reads and changes, one function per route.

/** All backups of the server, oldest first. The directory is read at each call, so it is read again seldom. */
export const backupsQuery = () =>
  queryOptions({
    queryKey: ['backups'],
    queryFn: () => call(api.listBackups, { query: { limit: 5000 } }),
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

export const resumeBackup = (id: string) => call(api.resumeBackup, { path: { id }, body: {} })

export const verifyBackup = (id: string) => call(api.verifyBackup, { path: { id }, body: {} })

export const restoreBackup = ({ id, body }: { id: string; body: RestoreRequest }) =>
  call(api.restoreBackup, {
    path: { id },
    ...(body.merge === true && { headers: { 'x-confirm': body.namespace } }),
    body,
  })

export const removeBackup = (id: string) => call(api.removeBackup, { path: { id }, headers: { 'x-confirm': id } })

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
