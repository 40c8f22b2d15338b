import * as api from '@tessera/client'
import { call, callVersioned } from './client'
import type {
  AlertRuleSpec,
  AlertWebhookSpec,
  ApiTokenPatch,
  ApiTokenSpec,
  IndexSpec,
  JobPatch,
  MigrationRequest,
  NamespaceConfig,
  NamespacePatch,
  SavedQueryRequest,
  SetConfig,
  SetLimits,
  SlowPatch,
  WorkloadSpec,
} from './types'

// Every change that the console makes, except to records: one function per route.

export const createNamespace = (body: NamespaceConfig) => call(api.createNamespace, { body })

/** `etag` guards against a lost race: 412 when someone changed the settings first. */
export const updateNamespace = (ns: string, body: NamespacePatch, etag: string) =>
  callVersioned(api.updateNamespace, { path: { ns }, headers: { 'if-match': etag }, body })

/** What a change would do. It changes nothing. */
export const planChange = (ns: string, body: NamespacePatch, etag: string) =>
  call(api.updateNamespace, { path: { ns }, query: { dryRun: true }, headers: { 'if-match': etag }, body })

/** Rolls the settings back, unless somebody has changed them since `etag`. */
export const restoreRevision = (ns: string, revision: number, reason: string | undefined, etag: string) =>
  callVersioned(api.restoreConfigRevision, {
    path: { ns, revision },
    headers: { 'if-match': etag },
    body: reason === undefined ? {} : { reason },
  })

export const reopenNamespace = (ns: string) => call(api.reopenNamespace, { path: { ns }, body: {} })

/** Opens a namespace that failed because of lost data, with the data that is left. */
export const acceptLoss = (ns: string) =>
  call(api.reopenNamespace, { path: { ns }, headers: { 'x-confirm': ns }, body: { acceptLoss: true } })

export const previewDropNamespace = (ns: string) => call(api.dropNamespace, { path: { ns }, query: { dryRun: true } })

/** `forGood`: it cannot be restored. */
export const dropNamespace = (ns: string, forGood: boolean) =>
  call(api.dropNamespace, { path: { ns }, query: { forGood }, headers: { 'x-confirm': ns } })

export const restoreDropped = (id: string, name: string) => call(api.restoreDropped, { path: { id }, body: { name } })

/** Frees its memory and its disks before its time is up. */
export const removeDropped = (id: string, name: string) =>
  call(api.removeDropped, { path: { id }, headers: { 'x-confirm': name } })

export const migrateNamespace = ({ ns, body }: { ns: string; body: MigrationRequest }) =>
  call(api.migrateNamespace, { path: { ns }, body })

/** Starts the job of a migration again, after it failed or was aborted. */
export const resumeMigration = (ns: string) => call(api.resumeMigration, { path: { ns }, body: {} })

const steps = {
  'cut-over': api.cutOverMigration,
  'roll-back': api.rollBackMigration,
  finish: api.finishMigration,
  abandon: api.abandonMigration,
} as const

/** `finish` and `abandon` remove a store; they name the namespace as a confirmation. */
export const stepMigration = ({ ns, step }: { ns: string; step: keyof typeof steps }): Promise<unknown> => {
  // One type for the four, which take the same.
  const operation: api.Operation<'finishMigration'> = { ...steps[step], id: 'finishMigration' }
  return call(operation, { path: { ns }, headers: { 'x-confirm': ns } })
}

export const adoptOrphan = (id: string, name: string) => call(api.adoptOrphan, { path: { id }, body: { name } })

export const removeOrphan = (id: string) => call(api.removeOrphan, { path: { id }, headers: { 'x-confirm': id } })

export const changeSlowSettings = (body: SlowPatch) => call(api.changeSlowSettings, { body })

export const clearSlowOperations = () => call(api.clearSlowOperations)

/** Reads all files of the audit log. `head`: a hash that an entry must have. */
export const verifyAudit = (head: string | undefined) =>
  call(api.verifyAudit, { query: head === undefined ? {} : { head } })

export const createSet = (ns: string, body: SetConfig) => call(api.createSet, { path: { ns }, body })

export const switchSetIndex = (ns: string, set: string, index: boolean) =>
  call(api.updateSet, { path: { ns, set }, body: { index } })

export const limitSet = (ns: string, set: string, limits: SetLimits) =>
  call(api.updateSet, { path: { ns, set }, body: { limits } })

export const previewTruncate = (ns: string, set: string) =>
  call(api.truncateSet, { path: { ns, set }, query: { dryRun: true } })

/** `forGood`: it cannot be undone. */
export const truncate = (ns: string, set: string, forGood: boolean) =>
  call(api.truncateSet, { path: { ns, set }, query: { forGood }, headers: { 'x-confirm': set } })

export const undoTruncation = (ns: string, id: string) => call(api.undoTruncation, { path: { ns, id } })

/** Frees the space of the records before the time is up. `name`: of the set, or of the namespace. */
export const settleTruncation = (ns: string, id: string, name: string) =>
  call(api.settleTruncation, { path: { ns, id }, headers: { 'x-confirm': name } })

export const createIndex = (ns: string, body: IndexSpec) => call(api.createIndex, { path: { ns }, body })

export const dropIndex = (ns: string, index: string) =>
  call(api.dropIndex, { path: { ns, index }, headers: { 'x-confirm': index } })

/** `body` is the request's JSON text: the numbers of its filter keep every digit. */
export const startJob = (body: string) => call(api.startJob, { body: new api.JsonText(body) })

/** The job when it has ended, or its state after two seconds. */
export const waitJob = (id: string) => call(api.getJob, { path: { id }, query: { wait: '2s' } })

export const patchJob = (id: string, body: JobPatch) => call(api.updateJob, { path: { id }, body })

export const abortJob = (id: string) => call(api.abortJob, { path: { id } })

/** A run writes into its namespace, so production needs its name as confirmation. */
export const startWorkload = (body: WorkloadSpec) =>
  call(api.startWorkload, { headers: { 'x-confirm': body.namespace }, body })

/** Aborts a running run, or deletes one that ended. */
export const removeWorkload = (id: string) => call(api.removeWorkload, { path: { id } })

export const saveQuery = (body: SavedQueryRequest) => call(api.saveQuery, { body })

export const replaceQuery = (id: string, body: SavedQueryRequest) => call(api.replaceQuery, { path: { id }, body })

export const removeQuery = (id: string) => call(api.removeQuery, { path: { id } })

export const clearQueryHistory = () => call(api.clearQueryHistory)

export const runExperiment = (experiment: string, scale: 'quick' | 'full') =>
  call(api.runExperiment, { body: { experiment, scale } })

/** Aborts a running run, or deletes one that ended. */
export const removeLabRun = (id: string) => call(api.removeLabRun, { path: { id } })

export const createAlertRule = (body: AlertRuleSpec) => call(api.createAlertRule, { body })

/** `etag` guards against a lost race: 412 when someone changed the rule first. */
export const replaceAlertRule = (id: string, body: AlertRuleSpec, etag: string) =>
  call(api.replaceAlertRule, { path: { id }, headers: { 'if-match': etag }, body })

/** 412 when someone changed the rule first, so that none is deleted unseen. */
export const removeAlertRule = (id: string, etag: string) =>
  call(api.removeAlertRule, { path: { id }, headers: { 'if-match': etag } })

export const muteAlertRule = (id: string, until: string) => call(api.muteAlertRule, { path: { id }, body: { until } })

export const unmuteAlertRule = (id: string) => call(api.unmuteAlertRule, { path: { id } })

export const testAlertRule = (id: string) => call(api.testAlertRule, { path: { id } })

/** 412 when someone changed the webhook first, or set one if there was none. */
export const setAlertWebhook = (body: AlertWebhookSpec, etag: string) =>
  call(api.setAlertWebhook, { headers: { 'if-match': etag }, body })

export const removeAlertWebhook = (etag: string) => call(api.removeAlertWebhook, { headers: { 'if-match': etag } })

/** Ends an upload that broke off or still runs. Stored rows stay. */
export const giveUpImport = (jobId: string) => call(api.endImport, { path: { jobId } })

export const createToken = (body: ApiTokenSpec) => call(api.createToken, { body })

export const updateToken = (id: string, body: ApiTokenPatch) => call(api.updateToken, { path: { id }, body })

export const revokeToken = (id: string) => call(api.revokeToken, { path: { id } })
