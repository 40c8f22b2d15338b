// Schedules of backups: list, show, set, remove.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { seesOf } from '../../../auth/reach.js'
import { pageOf } from '../../../requests/page.js'
import { BackupSchedule, BackupSchedulePage, ScheduleSettings } from '../../../schemas/namespaces/backup-schedules.js'
import { PageQuery } from '../../../schemas/pages.js'
import { NamespaceName } from '../../../schemas/words.js'

const tags = ['backups']
const params = Type.Object({ ns: NamespaceName })

export function backupScheduleRoutes(app: App): void {
  app.get(
    '/backup-schedules',
    {
      schema: {
        operationId: 'listBackupSchedules',
        tags,
        summary: 'List schedules of backups',
        description: 'Answers the schedules of all namespaces that you may see whole, by name.',
        querystring: PageQuery,
        response: { 200: BackupSchedulePage },
      },
    },
    ({ reach, query }) => pageOf(app.backupSchedules.list().filter(seesOf(reach)), query, ({ namespace }) => namespace),
  )

  app.get(
    '/namespaces/:ns/backup-schedule',
    {
      schema: {
        operationId: 'getBackupSchedule',
        tags,
        summary: 'Show the schedule of backups',
        description: 'Answers when a namespace is backed up, when next, and how the last time went.',
        params,
        response: { 200: BackupSchedule },
      },
    },
    (request) => app.backupSchedules.get(request.params.ns),
  )

  app.put(
    '/namespaces/:ns/backup-schedule',
    {
      schema: {
        operationId: 'setBackupSchedule',
        tags,
        summary: 'Back a namespace up by schedule',
        description:
          'From now on the namespace is backed up each `everyHours`. Old backups of the schedule are deleted with all ' +
          'that builds on them, once a newer one is complete. A backup that was due while the server did not run is ' +
          'made at the next start. The schedule ends with its namespace.',
        params,
        body: ScheduleSettings,
        response: { 200: BackupSchedule },
      },
    },
    (request) => app.backupSchedules.set(request.engine, request.params.ns, request.body),
  )

  app.delete(
    '/namespaces/:ns/backup-schedule',
    {
      schema: {
        operationId: 'removeBackupSchedule',
        tags,
        summary: 'End a schedule of backups',
        description: 'Ends the schedule. The backups that it has made stay.',
        params,
        response: { 200: BackupSchedule },
      },
    },
    (request) => app.backupSchedules.remove(request.params.ns),
  )
}
