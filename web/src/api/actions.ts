import { client, unwrap, unwrapVersioned } from './client'
import { send } from './http'
import type {
  AlertRuleSpec,
  AlertWebhookSpec,
  ApiTokenPatch,
  ApiTokenSpec,
  IndexSpec,
  Job,
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

export const createNamespace = async (body: NamespaceConfig) =>
  unwrap(await client.POST('/api/v1/namespaces', { body }))

/** `etag` guards against a lost race: 412 when someone changed the settings first. */
export const updateNamespace = async (ns: string, body: NamespacePatch, etag: string) =>
  unwrapVersioned(
    await client.PATCH('/api/v1/namespaces/{ns}', { params: { path: { ns }, header: { 'if-match': etag } }, body }),
  )

export const reopenNamespace = async (ns: string) =>
  unwrap(await client.POST('/api/v1/namespaces/{ns}/reopen', { params: { path: { ns } }, body: {} }))

/** Opens a namespace that failed because of lost data, with the data that is left. */
export const acceptLoss = async (ns: string) =>
  unwrap(
    await client.POST('/api/v1/namespaces/{ns}/reopen', {
      params: { path: { ns }, header: { 'x-confirm': ns } },
      body: { acceptLoss: true },
    }),
  )

export const previewDropNamespace = async (ns: string) =>
  unwrap(await client.DELETE('/api/v1/namespaces/{ns}', { params: { path: { ns }, query: { dryRun: true } } }))

export const dropNamespace = async (ns: string) =>
  unwrap(await client.DELETE('/api/v1/namespaces/{ns}', { params: { path: { ns }, header: { 'x-confirm': ns } } }))

export const migrateNamespace = async ({ ns, body }: { ns: string; body: MigrationRequest }) =>
  unwrap(await client.POST('/api/v1/namespaces/{ns}/migrate', { params: { path: { ns } }, body }))

/** Starts the job of a migration again, after it failed or was aborted. */
export const resumeMigration = async (ns: string) =>
  unwrap(await client.POST('/api/v1/namespaces/{ns}/migration/resume', { params: { path: { ns } }, body: {} }))

const steps = {
  'cut-over': '/api/v1/namespaces/{ns}/migration/cut-over',
  'roll-back': '/api/v1/namespaces/{ns}/migration/roll-back',
  finish: '/api/v1/namespaces/{ns}/migration/finish',
  abandon: '/api/v1/namespaces/{ns}/migration/abandon',
} as const

/** `finish` and `abandon` remove a store; they name the namespace as a confirmation. */
export const stepMigration = async ({ ns, step }: { ns: string; step: keyof typeof steps }): Promise<unknown> =>
  unwrap(await client.POST(steps[step], { params: { path: { ns }, header: { 'x-confirm': ns } } }))

export const adoptOrphan = async (id: string, name: string) =>
  unwrap(await client.POST('/api/v1/orphans/{id}/adopt', { params: { path: { id } }, body: { name } }))

export const removeOrphan = async (id: string) =>
  unwrap(await client.DELETE('/api/v1/orphans/{id}', { params: { path: { id }, header: { 'x-confirm': id } } }))

export const changeSlowSettings = async (body: SlowPatch) =>
  unwrap(await client.PATCH('/api/v1/slow/settings', { body }))

export const clearSlowOperations = async () => unwrap(await client.DELETE('/api/v1/slow'))

/** Reads all files of the audit log. `head`: a hash that an entry must have. */
export const verifyAudit = async (head: string | undefined) =>
  unwrap(await client.GET('/api/v1/audit/verify', { params: { query: head === undefined ? {} : { head } } }))

export const createSet = async (ns: string, body: SetConfig) =>
  unwrap(await client.POST('/api/v1/namespaces/{ns}/sets', { params: { path: { ns } }, body }))

export const switchSetIndex = async (ns: string, set: string, index: boolean) =>
  unwrap(await client.PATCH('/api/v1/namespaces/{ns}/sets/{set}', { params: { path: { ns, set } }, body: { index } }))

export const limitSet = async (ns: string, set: string, limits: SetLimits) =>
  unwrap(await client.PATCH('/api/v1/namespaces/{ns}/sets/{set}', { params: { path: { ns, set } }, body: { limits } }))

export const previewTruncate = async (ns: string, set: string) =>
  unwrap(
    await client.DELETE('/api/v1/namespaces/{ns}/sets/{set}', {
      params: { path: { ns, set }, query: { dryRun: true } },
    }),
  )

export const truncate = async (ns: string, set: string) =>
  unwrap(
    await client.DELETE('/api/v1/namespaces/{ns}/sets/{set}', {
      params: { path: { ns, set }, header: { 'x-confirm': set } },
    }),
  )

export const createIndex = async (ns: string, body: IndexSpec) =>
  unwrap(await client.POST('/api/v1/namespaces/{ns}/indexes', { params: { path: { ns } }, body }))

export const dropIndex = async (ns: string, index: string) =>
  unwrap(
    await client.DELETE('/api/v1/namespaces/{ns}/indexes/{index}', {
      params: { path: { ns, index }, header: { 'x-confirm': index } },
    }),
  )

/** `body` is the request's JSON text: the numbers of its filter keep every digit. */
export const startJob = async (body: string): Promise<Job> => {
  const response = await send('POST', '/api/v1/jobs', { headers: { 'Content-Type': 'application/json' }, body })
  return (await response.json()) as Job
}

/** The job when it has ended, or its state after two seconds. */
export const waitJob = async (id: string) =>
  unwrap(await client.GET('/api/v1/jobs/{id}', { params: { path: { id }, query: { wait: '2s' } } }))

export const patchJob = async (id: string, body: JobPatch) =>
  unwrap(await client.PATCH('/api/v1/jobs/{id}', { params: { path: { id } }, body }))

export const abortJob = async (id: string) =>
  unwrap(await client.DELETE('/api/v1/jobs/{id}', { params: { path: { id } } }))

/** A run writes into its namespace, so production needs its name as confirmation. */
export const startWorkload = async (body: WorkloadSpec) =>
  unwrap(await client.POST('/api/v1/workloads', { params: { header: { 'x-confirm': body.namespace } }, body }))

/** Aborts a running run, or deletes one that ended. */
export const removeWorkload = async (id: string) =>
  unwrap(await client.DELETE('/api/v1/workloads/{id}', { params: { path: { id } } }))

export const saveQuery = async (body: SavedQueryRequest) => unwrap(await client.POST('/api/v1/queries', { body }))

export const replaceQuery = async (id: string, body: SavedQueryRequest) =>
  unwrap(await client.PUT('/api/v1/queries/{id}', { params: { path: { id } }, body }))

export const removeQuery = async (id: string) =>
  unwrap(await client.DELETE('/api/v1/queries/{id}', { params: { path: { id } } }))

export const clearQueryHistory = async () => unwrap(await client.DELETE('/api/v1/queries/history', {}))

export const runExperiment = async (experiment: string, scale: 'quick' | 'full') =>
  unwrap(await client.POST('/api/v1/lab', { body: { experiment, scale } }))

/** Aborts a running run, or deletes one that ended. */
export const removeLabRun = async (id: string) =>
  unwrap(await client.DELETE('/api/v1/lab/runs/{id}', { params: { path: { id } } }))

export const createAlertRule = async (body: AlertRuleSpec) =>
  unwrap(await client.POST('/api/v1/alerts/rules', { body }))

/** `etag` guards against a lost race: 412 when someone changed the rule first. */
export const replaceAlertRule = async (id: string, body: AlertRuleSpec, etag: string) =>
  unwrap(
    await client.PUT('/api/v1/alerts/rules/{id}', { params: { path: { id }, header: { 'if-match': etag } }, body }),
  )

/** 412 when someone changed the rule first, so that none is deleted unseen. */
export const removeAlertRule = async (id: string, etag: string) =>
  unwrap(await client.DELETE('/api/v1/alerts/rules/{id}', { params: { path: { id }, header: { 'if-match': etag } } }))

export const muteAlertRule = async (id: string, until: string) =>
  unwrap(await client.PUT('/api/v1/alerts/rules/{id}/mute', { params: { path: { id } }, body: { until } }))

export const unmuteAlertRule = async (id: string) =>
  unwrap(await client.DELETE('/api/v1/alerts/rules/{id}/mute', { params: { path: { id } } }))

export const testAlertRule = async (id: string) =>
  unwrap(await client.POST('/api/v1/alerts/rules/{id}/test', { params: { path: { id } } }))

/** 412 when someone changed the webhook first, or set one if there was none. */
export const setAlertWebhook = async (body: AlertWebhookSpec, etag: string) =>
  unwrap(await client.PUT('/api/v1/alerts/webhook', { params: { header: { 'if-match': etag } }, body }))

export const removeAlertWebhook = async (etag: string) =>
  unwrap(await client.DELETE('/api/v1/alerts/webhook', { params: { header: { 'if-match': etag } } }))

/** Ends an upload that broke off or still runs. Stored rows stay. */
export const giveUpImport = async (jobId: string) =>
  unwrap(await client.DELETE('/api/v1/imports/{jobId}', { params: { path: { jobId } } }))

export const createToken = async (body: ApiTokenSpec) => unwrap(await client.POST('/api/v1/tokens', { body }))

export const updateToken = async (id: string, body: ApiTokenPatch) =>
  unwrap(await client.PATCH('/api/v1/tokens/{id}', { params: { path: { id } }, body }))

export const revokeToken = async (id: string) =>
  unwrap(await client.DELETE('/api/v1/tokens/{id}', { params: { path: { id } } }))
