// The role that each operation needs, and where the caller must have it, by its id in the OpenAPI document. Nothing is open
// by omission: a route that is not here keeps the gateway from starting. Each line is a list of ids.
import type { RouteOptions } from 'fastify'
import type { Role } from './roles.js'
import type { ScopeName } from './scopes.js'

type Operations = Readonly<Partial<Record<ScopeName, readonly string[]>>>

const OPERATIONS: Readonly<Record<Role, Operations>> = {
  /** Sees data and state, and changes neither. */
  reader: {
    server: ['listClusters getLab listLabRuns getLabRun getSlowSettings'],
    namespace: [
      'getNamespace listSegments getMigration getBackupSchedule getNamespaceCluster getDevice getPages getPageMap getPageSizes',
      'listConfigRevisions getConfigRevision',
      'adviseIndexes',
    ],
    set: [
      'getSize listSets getSet listIndexes getIndex profileSet profileRecords',
      'getRecord getRecordWithoutSet listRecords listRecordsWithoutSet',
      'readRecords readRecordsWithoutSet query scan stream exportRecords',
      'readYcsb getKv getKvWithoutSet hasKv hasKvWithoutSet',
      'compatibleScanNamespace compatibleScanSet getCompatibleIndex',
      'operateRead operateReadSet operateV2Read operateV2ReadSet',
      'compatibleQueryNamespace compatibleQuerySet compatibleQueryPartitions compatibleQuerySetPartitions',
    ],
    job: ['getJob getRejects'],
    import: ['getImport'],
    workload: ['getWorkload getWorkloadLatency'],
    query: ['getQuery'],
    rule: ['getAlertRule'],
    each: [
      'getPrometheus getStatus live getHistory listNamespaces',
      'listAllIndexes listQueries queryHistory listJobs listWorkloads compareWorkloads',
      'listSlowOperations listAlerts listAlertEvents listAlertRules listBackupSchedules',
      'listCompatibleIndexes getCluster info infoNode',
    ],
    none: [
      'planCapacity getOpenapi getAbout listLicences getMe logout sampleEvents listAlertMetrics',
      'listSessions endSession changePassword getOpenQueries setOpenQueries',
      'beginSecondFactor confirmSecondFactor removeSecondFactor',
    ],
  },
  /** Writes records, and what people keep beside them. */
  writer: {
    set: [
      'putRecord patchRecord deleteRecord writeRecords',
      'putRecordWithoutSet patchRecordWithoutSet deleteRecordWithoutSet writeRecordsWithoutSet',
      'importRecords insertYcsb updateYcsb deleteYcsb createKv replaceKv updateKv deleteKv',
      'createKvWithoutSet replaceKvWithoutSet updateKvWithoutSet deleteKvWithoutSet',
      'operate operateSet operateV2 operateV2Set',
    ],
    body: ['saveQuery'],
    import: ['resumeImport endImport'],
    query: ['removeQuery'],
    queryAndBody: ['replaceQuery'],
    each: ['compatibleBatch'],
  },
  /** Changes how data is kept, removes it as a whole, and starts long work. */
  operator: {
    /** Where data is kept, and what belongs to all namespaces. */
    server: [
      'createNamespace migrateNamespace listOrphans adoptOrphan removeOrphan',
      'listDropped getDropped restoreDropped removeDropped',
      'listBackups getBackup resumeBackup verifyBackup restoreBackup removeBackup',
      'runExperiment removeLabRun clearQueryHistory clearSlowOperations changeSlowSettings',
    ],
    namespace: [
      'updateNamespace restoreConfigRevision dropNamespace reopenNamespace startBackup setBackupSchedule removeBackupSchedule',
      'resumeMigration cutOverMigration rollBackMigration finishMigration abandonMigration',
      'createSet updateSet truncateSet listTruncations undoTruncation settleTruncation createIndex dropIndex',
      'deleteCompatibleIndex compatibleTruncateNamespace compatibleTruncateSet',
    ],
    each: ['listBackupTargets'],
    body: ['startJob startWorkload createCompatibleIndex createAlertRule'],
    job: ['updateJob abortJob'],
    workload: ['removeWorkload'],
    rule: ['removeAlertRule muteAlertRule unmuteAlertRule testAlertRule'],
    ruleAndBody: ['replaceAlertRule'],
  },
  /** Says who may do what, and where notices go: the address of a webhook may be a secret. */
  admin: {
    server: [
      'getAlertWebhook setAlertWebhook removeAlertWebhook',
      'listTokens createToken getToken updateToken revokeToken',
      'listUsers createUser getUser updateUser removeUser removeUserSecondFactor',
      'listAudit exportAudit verifyAudit',
      'getServerConfig updateServerConfig reloadServerConfig',
      'listServerRevisions getServerRevision restoreServerRevision',
      'getDiagnostics',
    ],
  },
}

/** What the caller of a route needs. */
export interface Needs {
  role: Role
  scope: ScopeName
}

const NEEDS: ReadonlyMap<string, Needs> = new Map(
  (Object.keys(OPERATIONS) as Role[]).flatMap((role) =>
    (Object.entries(OPERATIONS[role]) as [ScopeName, readonly string[]][]).flatMap(([scope, lines]) =>
      lines.flatMap((line) => line.split(' ')).map((operation) => [operation, { role, scope }] as const),
    ),
  ),
)

/**
 * What a route needs; undefined if it needs no credentials. Pages that no operation describes are for all who have some.
 *
 * @throws Error if nobody has said it
 */
export function needsOf({ url, method, schema, config }: RouteOptions): Needs | undefined {
  if (config?.public === true) return undefined
  const { operationId, hide } = (schema ?? {}) as { operationId?: string; hide?: boolean }
  const needs = operationId === undefined ? undefined : NEEDS.get(operationId)
  if (needs !== undefined) return needs
  if (operationId === undefined && hide === true) return { role: 'reader', scope: 'none' }
  throw new Error(`neither role nor scope is given for ${String(method)} ${url}; see auth/permissions.ts`)
}
