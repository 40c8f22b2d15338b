// Backups of namespaces: make, list, verify, resume, delete, restore.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { targetNames } from '../../../backups/targets.js'
import { accepted } from '../../../answers/accepted.js'
import { json } from '../../../bodies/rule.js'
import { confirm } from '../../../requests/confirm.js'
import { pageOf } from '../../../requests/page.js'
import { optionalBody } from '../../../schemas/bodies.js'
import { ConfirmHeaders } from '../../../schemas/drop.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { Job } from '../../../schemas/jobs/jobs.js'
import {
  Backup,
  BackupPace,
  BackupPage,
  BackupRequest,
  BackupTarget,
  BackupTargetPage,
  RestoreRequest,
  VerifyRequest,
} from '../../../schemas/namespaces/backups.js'
import { PageQuery } from '../../../schemas/pages.js'
import { Wait } from '../../../schemas/quantities.js'
import { Id, NamespaceName } from '../../../schemas/words.js'

const tags = ['backups']
const params = Type.Object({ id: Id('Id of the backup.', '20261124T153528Z-9f86d081') })
const querystring = Type.Object({ wait: Wait }, { additionalProperties: false })
const inTarget = Type.Object(BackupTarget, { additionalProperties: false })
const inTargetWaiting = Type.Object({ ...BackupTarget, wait: Wait }, { additionalProperties: false })
const listed = Type.Object({ ...PageQuery.properties, ...BackupTarget }, { additionalProperties: false })

export function backupRoutes(app: App): void {
  app.post(
    '/namespaces/:ns/backups',
    {
      config: { idempotent: true, body: json({ required: false }) },
      schema: {
        operationId: 'startBackup',
        tags,
        summary: 'Back a namespace up',
        description:
          'Starts a job that backs a namespace up while it is read and written. Each segment is in the backup as it ' +
          'was at one moment. With `base`, the backup has the bodies of the records that changed since, and what ' +
          'was deleted. Its id is in `parameters.backup` of the job.',
        params: Type.Object({ ns: NamespaceName }),
        querystring,
        headers: IdempotencyHeaders,
        body: optionalBody(BackupRequest),
        response: { 202: Job },
      },
    },
    async (request, reply) => {
      const job = await request.engine.startBackup(request.params.ns, request.body ?? {})
      return accepted(request.engine, reply, job, request.query.wait)
    },
  )

  app.get(
    '/backups',
    {
      schema: {
        operationId: 'listBackups',
        tags,
        summary: 'List backups',
        description: 'Answers all backups in the backup directory of the server, or in a `target`, oldest first.',
        querystring: listed,
        response: { 200: BackupPage },
      },
    },
    async (request, reply) =>
      reply.send(pageOf(await request.engine.backups(request.query.target), request.query, ({ id }) => id)),
  )

  app.get(
    '/backup-targets',
    {
      schema: {
        operationId: 'listBackupTargets',
        tags,
        summary: 'List targets of backups',
        description:
          'Answers the names of the buckets that the operator has described in the file of `TESSERA_BACKUP_TARGETS`, ' +
          'for `target`. What else is in the file is not told.',
        querystring: PageQuery,
        response: { 200: BackupTargetPage },
      },
    },
    ({ query }) => {
      const names = targetNames(app.config.backupTargetsFile)
      return pageOf(
        names.map((name) => ({ name })),
        query,
        ({ name }) => name,
      )
    },
  )

  app.get(
    '/backups/:id',
    {
      schema: {
        operationId: 'getBackup',
        tags,
        summary: 'Show a backup',
        description: 'Answers one backup, with its point of restore.',
        params,
        querystring: inTarget,
        response: { 200: Backup },
      },
    },
    (request) => request.engine.backup(request.params.id, request.query.target),
  )

  app.post(
    '/backups/:id/resume',
    {
      config: { body: json({ required: false }) },
      schema: {
        operationId: 'resumeBackup',
        tags,
        summary: 'Resume a backup',
        description:
          'Starts a job that goes on with an unfinished backup. Parts that are whole stay. Records in memory that a ' +
          'restart has taken cannot be backed up any more: then the answer is `backup_unfinished`.',
        params,
        querystring: inTargetWaiting,
        body: optionalBody(BackupPace),
        response: { 202: Job },
      },
    },
    async (request, reply) => {
      const job = await request.engine.resumeBackup(request.params.id, request.body ?? {}, request.query.target)
      return accepted(request.engine, reply, job, request.query.wait)
    },
  )

  app.post(
    '/backups/:id/verify',
    {
      config: { body: json({ required: false }) },
      schema: {
        operationId: 'verifyBackup',
        tags,
        summary: 'Verify a backup',
        description:
          'Starts a job that reads all files of a backup, and of those that it builds on. If one is missing, cut off, ' +
          'changed, or of another backup, the job fails with `backup_damaged` and names the file.',
        params,
        querystring: inTargetWaiting,
        body: optionalBody(VerifyRequest),
        response: { 202: Job },
      },
    },
    async (request, reply) => {
      const job = await request.engine.verifyBackup(request.params.id, request.body?.threads, request.query.target)
      return accepted(request.engine, reply, job, request.query.wait)
    },
  )

  app.post(
    '/backups/:id/restore',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'restoreBackup',
        tags,
        summary: 'Restore a backup',
        description:
          'Starts a job that verifies a backup and then restores it. A new namespace has the sets, the indexes and the ' +
          'records of the backup, with their metadata. It is listed once it has all of them. In a namespace that ' +
          'exists, each record is written as by `putRecord`. In production, `merge` needs the name of the namespace ' +
          'in `X-Confirm`.',
        params,
        querystring: inTargetWaiting,
        headers: Type.Object({ ...ConfirmHeaders.properties, ...IdempotencyHeaders.properties }),
        body: RestoreRequest,
        response: { 202: Job },
      },
    },
    async (request, reply) => {
      const { merge, namespace } = request.body
      if (merge === true) confirm(app.config, request.headers['x-confirm'], namespace)
      const job = await request.engine.restoreBackup(request.params.id, request.body, request.query.target)
      return accepted(request.engine, reply, job, request.query.wait)
    },
  )

  app.delete(
    '/backups/:id',
    {
      schema: {
        operationId: 'removeBackup',
        tags,
        summary: 'Delete a backup',
        description:
          'Deletes the files of a backup. While a job works with it, or another backup builds on it: `backup_in_use`. ' +
          'In production it needs `X-Confirm` with the id.',
        params,
        querystring: inTarget,
        headers: ConfirmHeaders,
        response: { 200: Backup },
      },
    },
    (request) => {
      confirm(app.config, request.headers['x-confirm'], request.params.id)
      return request.engine.removeBackup(request.params.id, request.query.target)
    },
  )
}
