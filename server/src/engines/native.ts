// The storage core, opened in this process. Only this file imports the native module.
import {
  attachStore,
  type JobInfo,
  type MigrationTarget,
  type NamespaceInfo,
  openStore,
  planCapacity,
  type Store,
} from '@tessera/native'
import type { Config } from '../config.js'
import { LIST_LIMIT } from '../schemas/jobs/list.js'
import type { Job } from '../schemas/jobs/jobs.js'
import type { Comparison, Workload, WorkloadLatency, WorkloadRun } from '../schemas/jobs/workloads.js'
import type { SlowGroup, SlowOperation } from '../schemas/server/slow.js'
import type { Engine, ImportSpec } from './engine.js'
import { type Ids, isFormer, marked } from '../auth/former.js'
import {
  deviceReportOf,
  frameOf,
  indexOf,
  droppedOf,
  dropReportOf,
  jobOf,
  namespaceOf,
  orphanOf,
  pageSizesOf,
  pagesReportOf,
  scanPlanOf,
  slowGroupOf,
  slowOperationOf,
  slowSettingsOf,
  statusOf,
  truncationOf,
} from './native-shapes.js'
import { backupOf, type BackupSettings, newBackupId, type Places, placesOf, restoreOf } from './native-backups.js'
import { type NativeRun, workloadOf } from './native-workloads.js'

type Limits = Pick<Config, 'memoryBytes' | 'requestBytes' | 'requestPatienceMs'>
type Options = Pick<Config, 'dataDirectory'> &
  Partial<
    Pick<Config, 'io' | 'devicePaths' | 'clustersFile' | 'backupDirectory' | 'backupTargetsFile' | 'undoMs'> & Limits
  >

/** An engine that other threads of this process can attach to. */
export interface NativeEngine extends Engine {
  /** A number by which they do. */
  share(): number
}

export async function openNativeEngine({
  dataDirectory,
  io = 'auto',
  devicePaths = [],
  clustersFile,
  backupDirectory,
  backupTargetsFile,
  memoryBytes,
  requestBytes,
  requestPatienceMs,
  undoMs = 0,
}: Options): Promise<NativeEngine> {
  const memory = {
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(requestBytes !== undefined && { requestBytes }),
    ...(requestPatienceMs !== undefined && { requestPatienceMs }),
  }
  return engineOn(
    await openStore({
      dataDirectory,
      io,
      devicePaths,
      memory,
      undoMs,
      ...(clustersFile !== undefined && { clustersFile }),
    }),
    placesOf({ dataDirectory, backupDirectory, backupTargetsFile }),
  )
}

/** The engine that another thread has opened, and closes. */
export const attachNativeEngine = (handle: number, config: BackupSettings): Engine =>
  engineOn(attachStore(handle), placesOf(config))

/** Conversions that mark what is of a former namespace. */
const markers = (ids: Ids) => ({
  job: (info: JobInfo): Job => marked(ids, jobOf(info)),
  run: (native: NativeRun): Workload => {
    const run = workloadOf(native)
    return isFormer(ids, { ...run, namespace: run.spec.namespace }) ? { ...run, former: true } : run
  },
  slow: <T extends SlowOperation | SlowGroup>(kept: T): T => marked(ids, kept),
})

/** The contract on a store. A method that is not named here has the shape of the contract in the store. */
const engineOn = (store: Store, places: Places, { job, run, slow } = markers(store)): NativeEngine => ({
  kind: 'native',
  ...store,

  close: async () => {
    await store.close()
  },
  settled: async () => {
    await store.settled()
  },
  status: async () => statusOf(await store.status()),

  createNamespace: async (config) => namespaceOf(await store.createNamespace(config as NamespaceInfo['config'])),
  updateNamespace: async (name, patch) => namespaceOf(await store.updateNamespace(name, patch)),
  reopenNamespace: async (name, acceptLoss) => namespaceOf(await store.reopenNamespace(name, acceptLoss)),
  migrate: async (name, target) => job(await store.migrate(name, target as MigrationTarget)),
  migration: async (name) => ({ namespace: name, ...(await store.migration(name)) }),
  resumeMigration: async (name, pace) => job(await store.resumeMigration(name, pace)),
  swapStores: async (name, cutOver) => ({ namespace: name, ...(await store.swapStores(name, cutOver)) }),
  endMigration: async (name, cutOver) => namespaceOf(await store.endMigration(name, cutOver)),
  startBackup: async (name, { target, ...request }) => {
    await places.make()
    return job(await store.startBackup(places.of(target), name, { id: newBackupId(), ...request }))
  },
  backups: async (target) => (await store.backups(places.of(target))).map(backupOf),
  backup: async (id, target) => backupOf(await store.backupInfo(places.of(target), id)),
  resumeBackup: async (id, pace, target) => job(await store.resumeBackup(places.of(target), id, pace)),
  verifyBackup: async (id, threads, target) => job(await store.verifyBackup(places.of(target), id, threads)),
  restoreBackup: async (id, request, target) =>
    job(await store.restoreBackup(places.of(target), id, restoreOf(request))),
  removeBackup: async (id, target) => backupOf(await store.removeBackup(places.of(target), id)),
  orphans: async () => (await store.orphans()).map(orphanOf),
  adoptOrphan: async (id, name) => namespaceOf(await store.adoptOrphan(id, name)),
  dropNamespace: async (name, how) =>
    dropReportOf(await store.dropNamespace(name, how.dryRun ?? false, how.forGood ?? false)),
  dropped: async () => (await store.dropped()).map(droppedOf),
  droppedOne: async (id) => droppedOf(await store.droppedOne(id)),
  restoreDropped: async (id, name) => namespaceOf(await store.restoreDropped(id, name)),
  namespaces: async () => (await store.namespaces()).map(namespaceOf),
  namespace: async (name) => namespaceOf(await store.namespace(name)),
  deviceReport: async (namespace, cells) => deviceReportOf(namespace, await store.deviceReport(namespace, cells)),
  pagesReport: async (namespace) => pagesReportOf(namespace, await store.pagesReport(namespace)),
  pageSizes: async (namespace) => pageSizesOf(await store.pageWhatIf(namespace)),
  planCapacity,

  switchSetIndex: async (namespace, set, on, threads) => job(await store.switchSetIndex(namespace, set, on, threads)),
  truncate: async (namespace, set, before, forGood) => job(await store.truncate(namespace, set, before, forGood)),
  truncations: async (namespace) => (await store.truncations(namespace)).map(truncationOf),
  undoTruncation: async (namespace, id) => job(await store.undoTruncation(namespace, id)),
  settleTruncation: async (namespace, id) => job(await store.settleTruncation(namespace, id)),

  createIndex: async (namespace, spec) => job(await store.createIndex(namespace, spec)),
  indexes: async (namespace) => (await store.indexes(namespace)).map(indexOf),
  index: async (namespace, name) => indexOf(await store.index(namespace, name)),
  dropIndex: async (namespace, name, dryRun) => {
    const { entries, bytes } = await store.index(namespace, name)
    const report = dryRun ? { records: 0, bytes, indexes: 1 } : await store.dropIndex(namespace, name)
    return { ...report, entries }
  },

  explainScan: async (namespace, spec) => scanPlanOf(await store.explainScan(namespace, spec)),
  tally: async (namespace, spec) => job(await store.tally(namespace, spec)),
  scrub: async (namespace, bytesPerSecond) => job(await store.scrub(namespace, bytesPerSecond)),
  calibrate: async (namespace) => job(await store.calibrate(namespace)),
  compact: async (namespace) => job(await store.compact(namespace)),

  beginImport: (namespace, spec) => store.beginImport(namespace, spec, JSON.stringify(spec)),
  interruptedImport: async (jobId) => {
    const { namespace, query, storedRows } = await store.interruptedImport(jobId)
    const { set, bytesTotal } = JSON.parse(query) as ImportSpec
    return {
      namespace,
      ...(set !== undefined && { set }),
      ...(bytesTotal !== undefined && { totalBytes: bytesTotal }),
      storedRows,
    }
  },
  resumeImport: async (jobId) => {
    const { query } = await store.interruptedImport(jobId)
    return store.resumeImport(jobId, JSON.parse(query) as ImportSpec)
  },
  forgetImport: async (jobId, waits = false) => {
    await store.forgetImport(jobId, waits)
  },

  runningJobs: () => store.runningJobs().map(job),
  jobs: async (query) => {
    const { jobs, more } = await store.jobs({ limit: LIST_LIMIT, ...query })
    return { items: jobs.map(job), more }
  },
  job: (id) => job(store.job(id)),
  patchJob: (id, patch) => job(store.patchJob(id, patch)),
  abortJob: (id) => job(store.abortJob(id)),
  waitJob: async (id, timeoutMs) => job(await store.waitJob(id, timeoutMs)),

  startWorkload: async (spec) => run(JSON.parse(await store.startWorkload(JSON.stringify(spec))) as NativeRun),
  workloads: async (query) => {
    const text = await store.workloads({ limit: LIST_LIMIT, ...query })
    const { runs, more } = JSON.parse(text) as { runs: NativeRun[]; more: boolean }
    return { items: runs.map(run), more }
  },
  workload: async (id) => {
    const { run: one, frames } = JSON.parse(await store.workload(id)) as {
      run: NativeRun
      frames: WorkloadRun['frames']
    }
    return { ...run(one), frames }
  },
  workloadLatency: async (id) => ({ items: JSON.parse(await store.workloadLatency(id)) as WorkloadLatency['items'] }),
  compareWorkloads: async (ids) => {
    const text = await store.compareWorkloads(ids)
    const { runs, figures } = JSON.parse(text) as { runs: NativeRun[]; figures: Comparison['figures'] }
    return { runs: runs.map(run), figures }
  },
  removeWorkload: async (id) => run(JSON.parse(await store.removeWorkload(id)) as NativeRun),

  onFrame: (callback) => store.onFrame((frame) => callback(frameOf(frame))),
  history: (query) => store.history(query),

  slowOperations: async (query) => {
    const { items, truncated } = await store.slowOperations(query)
    return { items: items.map((one) => slow(slowOperationOf(one))), truncated }
  },
  slowGroups: async (query) => {
    const { items, truncated } = await store.slowGroups(query)
    return { items: items.map((one) => slow(slowGroupOf(one))), truncated }
  },
  slowSettings: () => slowSettingsOf(store.slowSettings()),
  changeSlowSettings: async (patch) => slowSettingsOf(await store.changeSlowSettings(patch)),
})
