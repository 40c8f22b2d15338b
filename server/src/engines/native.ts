// The storage core, opened in this process. Only this file imports the native module.
import { type NamespaceInfo, openStore, planCapacity, type Store } from '@tessera/native'
import type { Config } from '../config.js'
import type { CapacityPlan, CapacityQuery } from '../schemas/capacity.js'
import type { DeviceReport } from '../schemas/device.js'
import type { DropReport } from '../schemas/drop.js'
import type { Index, IndexSpec } from '../schemas/indexes.js'
import type { Job, JobPatch } from '../schemas/jobs.js'
import type { MetricsFrame, Operation } from '../schemas/metrics.js'
import type { Namespace, NamespaceConfig, NamespacePatch, Segment } from '../schemas/namespaces.js'
import type { Orphan } from '../schemas/orphans.js'
import type { PageMap, PageSizes, PagesReport } from '../schemas/paged.js'
import type { BatchReport, WriteResult } from '../schemas/records.js'
import type { ScanPlan } from '../schemas/plans.js'
import type { RecordSet, SetConfig, SetLimits } from '../schemas/sets.js'
import type { EngineStatus } from '../schemas/status.js'
import type { Comparison, Workload, WorkloadRun, WorkloadSpec } from '../schemas/workloads.js'
import type * as Contract from './engine.js'
import {
  deviceReportOf,
  frameOf,
  indexOf,
  jobOf,
  namespaceOf,
  orphanOf,
  pageSizesOf,
  pagesReportOf,
  scanPlanOf,
  statusOf,
} from './native-shapes.js'
import { type NativeRun, workloadOf } from './native-workloads.js'

type Limits = Pick<Config, 'memoryBytes' | 'requestBytes' | 'requestPatienceMs'>
type Options = Pick<Config, 'dataDirectory'> & Partial<Pick<Config, 'io' | 'devicePaths'> & Limits>

export async function openNativeEngine({
  dataDirectory,
  io = 'auto',
  devicePaths = [],
  memoryBytes,
  requestBytes,
  requestPatienceMs,
}: Options): Promise<Contract.Engine> {
  const memory = {
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(requestBytes !== undefined && { requestBytes }),
    ...(requestPatienceMs !== undefined && { requestPatienceMs }),
  }
  return new NativeEngine(await openStore({ dataDirectory, io, devicePaths, memory }))
}

class NativeEngine implements Contract.Engine {
  readonly kind = 'native'
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  callOffJobs(): void {
    this.#store.callOffJobs()
  }

  settled(): Promise<void> {
    return this.#store.settled()
  }

  room(): Contract.Room {
    return this.#store.room()
  }

  async status(): Promise<EngineStatus> {
    return statusOf(await this.#store.status())
  }

  async createNamespace(config: NamespaceConfig): Promise<Namespace> {
    return namespaceOf(await this.#store.createNamespace(config as NamespaceInfo['config']))
  }

  async updateNamespace(name: string, patch: NamespacePatch): Promise<Namespace> {
    return namespaceOf(await this.#store.updateNamespace(name, patch))
  }

  async reopenNamespace(name: string, acceptLoss: boolean): Promise<Namespace> {
    return namespaceOf(await this.#store.reopenNamespace(name, acceptLoss))
  }

  dropNamespace(name: string, dryRun: boolean): Promise<DropReport> {
    return this.#store.dropNamespace(name, dryRun)
  }

  async orphans(): Promise<Orphan[]> {
    return (await this.#store.orphans()).map(orphanOf)
  }

  async adoptOrphan(id: string, name?: string): Promise<Namespace> {
    return namespaceOf(await this.#store.adoptOrphan(id, name))
  }

  removeOrphan(id: string, dryRun: boolean): Promise<DropReport> {
    return this.#store.removeOrphan(id, dryRun)
  }

  async namespaces(): Promise<Namespace[]> {
    return (await this.#store.namespaces()).map(namespaceOf)
  }

  namespaceNames(): string[] {
    return this.#store.namespaceNames()
  }

  async namespace(name: string): Promise<Namespace> {
    return namespaceOf(await this.#store.namespace(name))
  }

  segments(namespace: string): Promise<Segment[]> {
    return this.#store.segments(namespace)
  }

  async deviceReport(namespace: string, cells: number): Promise<DeviceReport> {
    return deviceReportOf(namespace, await this.#store.deviceReport(namespace, cells))
  }

  async pagesReport(namespace: string): Promise<PagesReport> {
    return pagesReportOf(namespace, await this.#store.pagesReport(namespace))
  }

  pageMap(namespace: string, cells: number): Promise<PageMap> {
    return this.#store.pageMap(namespace, cells)
  }

  async pageSizes(namespace: string): Promise<PageSizes> {
    return pageSizesOf(await this.#store.pageWhatIf(namespace))
  }

  size(namespace: string, set?: string): number | Promise<number> {
    return this.#store.size(namespace, set)
  }

  sets(namespace: string): Promise<RecordSet[]> {
    return this.#store.sets(namespace)
  }

  createSet(namespace: string, set: SetConfig): Promise<RecordSet> {
    return this.#store.createSet(namespace, set)
  }

  limitSet(namespace: string, set: string, limits: SetLimits): Promise<RecordSet> {
    return this.#store.limitSet(namespace, set, limits)
  }

  async switchSetIndex(namespace: string, set: string, on: boolean, threads?: number): Promise<Job> {
    return jobOf(await this.#store.switchSetIndex(namespace, set, on, threads))
  }

  previewTruncate(namespace: string, set?: string): Promise<DropReport> {
    return this.#store.truncate(namespace, set, true)
  }

  async truncate(namespace: string, set?: string, before?: number): Promise<Job> {
    return jobOf(await this.#store.truncate(namespace, set, false, before))
  }

  planCapacity(query: CapacityQuery): CapacityPlan {
    return planCapacity(query)
  }

  async createIndex(namespace: string, spec: IndexSpec): Promise<Job> {
    return jobOf(await this.#store.createIndex(namespace, spec))
  }

  async indexes(namespace: string): Promise<Index[]> {
    return (await this.#store.indexes(namespace)).map(indexOf)
  }

  async index(namespace: string, name: string): Promise<Index> {
    return indexOf(await this.#store.index(namespace, name))
  }

  async dropIndex(namespace: string, name: string, dryRun: boolean): Promise<DropReport> {
    const { entries, bytes } = await this.#store.index(namespace, name)
    const report = dryRun ? { records: 0, bytes, indexes: 1 } : await this.#store.dropIndex(namespace, name)
    return { ...report, entries }
  }

  getRecord(
    namespace: string,
    set: string,
    key: Contract.KeyInput,
    form: Contract.RecordForm,
  ): Contract.MaybePromise<Buffer | null> {
    return this.#store.getRecord(namespace, set, key, form)
  }

  putRecord(
    namespace: string,
    set: string,
    key: Contract.KeyInput,
    bins: Buffer,
    options: Contract.WriteOptions,
  ): Promise<WriteResult> {
    return this.#store.putRecord(namespace, set, key, bins, options)
  }

  getPlain(namespace: string, set: string, key: string, bin: string): Contract.MaybePromise<Buffer | null> {
    return this.#store.getPlain(namespace, set, key, bin)
  }

  putPlain(namespace: string, set: string, key: string, bin: string, bytes: Buffer): Promise<WriteResult> {
    return this.#store.putPlain(namespace, set, key, bin, bytes)
  }

  deleteRecord(
    namespace: string,
    set: string,
    key: Contract.KeyInput,
    options: Contract.DeleteOptions,
  ): Promise<boolean> {
    return this.#store.deleteRecord(namespace, set, key, options)
  }

  operateRecord(
    namespace: string,
    set: string,
    key: Contract.KeyInput,
    operations: Buffer,
    form: Contract.OperateForm,
  ): Promise<Buffer | null> {
    return this.#store.operateRecord(namespace, set, key, operations, form)
  }

  writeRecords(namespace: string, set: string, ndjson: Buffer, options: Contract.BatchOptions): Promise<BatchReport> {
    return this.#store.writeRecords(namespace, set, ndjson, options)
  }

  readRecords(namespace: string, set: string, keys: Buffer, bins?: string[]): Contract.LineStream {
    return this.#store.readRecords(namespace, set, keys, bins)
  }

  scan(namespace: string, spec: Contract.ScanSpec): Promise<Contract.RecordStream> {
    return this.#store.scan(namespace, spec)
  }

  async explainScan(namespace: string, spec: Contract.ScanSpec): Promise<ScanPlan> {
    return scanPlanOf(await this.#store.explainScan(namespace, spec))
  }

  query(namespace: string, spec: Contract.QuerySpec): Promise<Contract.RecordStream> {
    return this.#store.query(namespace, spec)
  }

  explainQuery(namespace: string, spec: Contract.QuerySpec): Promise<string> {
    return this.#store.explainQuery(namespace, spec)
  }

  analyzeQuery(namespace: string, spec: Contract.QuerySpec): Promise<Contract.RecordStream> {
    return this.#store.analyzeQuery(namespace, spec)
  }

  stream(namespace: string, spec: Contract.StreamSpec): Promise<Contract.RecordStream> {
    return this.#store.stream(namespace, spec)
  }

  explainStream(namespace: string, spec: Contract.StreamSpec): Promise<string> {
    return this.#store.explainStream(namespace, spec)
  }

  async scrub(namespace: string, bytesPerSecond?: number): Promise<Job> {
    return jobOf(await this.#store.scrub(namespace, bytesPerSecond))
  }

  async calibrate(namespace: string): Promise<Job> {
    return jobOf(await this.#store.calibrate(namespace))
  }

  async compact(namespace: string): Promise<Job> {
    return jobOf(await this.#store.compact(namespace))
  }

  async tally(namespace: string, spec: Contract.TallySpec): Promise<Job> {
    return jobOf(await this.#store.tally(namespace, spec))
  }

  export(namespace: string, spec: Contract.ExportSpec): Promise<Contract.RecordStream> {
    return this.#store.export(namespace, spec)
  }

  beginImport(namespace: string, spec: Contract.ImportSpec): Promise<Contract.ImportSession> {
    return this.#store.beginImport(namespace, spec, JSON.stringify(spec))
  }

  async interruptedImport(jobId: string): Promise<Contract.InterruptedImport> {
    const { namespace, query, storedRows } = await this.#store.interruptedImport(jobId)
    const { set, bytesTotal } = JSON.parse(query) as Contract.ImportSpec
    return {
      namespace,
      ...(set !== undefined && { set }),
      ...(bytesTotal !== undefined && { totalBytes: bytesTotal }),
      storedRows,
    }
  }

  async resumeImport(jobId: string): Promise<Contract.ImportSession> {
    const { query } = await this.#store.interruptedImport(jobId)
    return this.#store.resumeImport(jobId, JSON.parse(query) as Contract.ImportSpec)
  }

  forgetImport(jobId: string): Promise<void> {
    return this.#store.forgetImport(jobId)
  }

  rejects(jobId: string, form: 'lines' | 'rows'): Promise<Contract.RejectStream> {
    return this.#store.rejects(jobId, form)
  }

  sampleEvents(spec: Contract.SampleEvents): Contract.LineStream {
    return this.#store.sampleEvents(spec)
  }

  runningJobs(): Job[] {
    return this.#store.runningJobs().map(jobOf)
  }

  jobs(): Job[] {
    const newestFirst = (a: Job, b: Job) => (a.createdAt < b.createdAt ? 1 : -1)
    return this.#store.jobs().map(jobOf).sort(newestFirst)
  }

  job(id: string): Job {
    return jobOf(this.#store.job(id))
  }

  attributeJob(id: string, who: string): void {
    this.#store.attributeJob(id, who)
  }

  patchJob(id: string, patch: JobPatch): Job {
    return jobOf(this.#store.patchJob(id, patch))
  }

  abortJob(id: string): Job {
    return jobOf(this.#store.abortJob(id))
  }

  async waitJob(id: string, timeoutMs: number): Promise<Job> {
    return jobOf(await this.#store.waitJob(id, timeoutMs))
  }

  async startWorkload(spec: WorkloadSpec): Promise<Workload> {
    return workloadOf(JSON.parse(await this.#store.startWorkload(JSON.stringify(spec))) as NativeRun)
  }

  workloads(): Workload[] {
    return (JSON.parse(this.#store.workloads()) as NativeRun[]).map(workloadOf)
  }

  async workload(id: string): Promise<WorkloadRun> {
    const text = await this.#store.workload(id)
    const { run, frames } = JSON.parse(text) as { run: NativeRun; frames: WorkloadRun['frames'] }
    return { ...workloadOf(run), frames }
  }

  async compareWorkloads(ids: string[]): Promise<Comparison> {
    const text = await this.#store.compareWorkloads(ids)
    const { runs, figures } = JSON.parse(text) as { runs: NativeRun[]; figures: Comparison['figures'] }
    return { runs: runs.map(workloadOf), figures }
  }

  async removeWorkload(id: string): Promise<Workload> {
    return workloadOf(JSON.parse(await this.#store.removeWorkload(id)) as NativeRun)
  }

  recordLatency(namespace: string, op: Operation, nanos: number, ok: boolean): void {
    this.#store.recordLatency(namespace, op, nanos, ok)
  }

  onFrame(callback: (frame: MetricsFrame) => void): () => void {
    return this.#store.onFrame((frame) => {
      callback(frameOf(frame))
    })
  }

  async history(query: Contract.HistoryRange): Promise<MetricsFrame[]> {
    return (await this.#store.history(query)).map(frameOf)
  }
}
