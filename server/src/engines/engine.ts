// What a storage engine offers the routes. Control answers have the shape of the API; record bodies are bytes.
import type { ExportSpec } from './export-spec.js'
import type { CapacityPlan, CapacityQuery } from '../schemas/namespaces/capacity.js'
import type { ClusterView, KnownClusters } from '../schemas/namespaces/cluster.js'
import type { DeviceReport } from '../schemas/namespaces/device.js'
import type { DropReport } from '../schemas/drop.js'
import type { Index, IndexSpec } from '../schemas/namespaces/indexes.js'
import type { Job, JobPatch } from '../schemas/jobs/jobs.js'
import type { ImportReport } from '../schemas/load/import.js'
import type { MetricsFrame, Operation } from '../schemas/server/metrics.js'
import type { LiveSettings, Namespace, NamespaceConfig, Segment } from '../schemas/namespaces/namespaces.js'
import type { Backup, BackupPace, BackupRequest, RestoreRequest } from '../schemas/namespaces/backups.js'
import type { Migration, MigrationPace, MigrationRequest } from '../schemas/namespaces/migrations.js'
import type { Dropped } from '../schemas/namespaces/dropped.js'
import type { Orphan } from '../schemas/namespaces/orphans.js'
import type { PageMap, PageSizes, PagesReport } from '../schemas/namespaces/paged.js'
import type { Truncation } from '../schemas/namespaces/truncations.js'
import type { BatchReport, KeyType, WriteResult } from '../schemas/records/records.js'
import type { ScanPlan } from '../schemas/records/plans.js'
import type { Sample, StreamSummary } from '../schemas/records/search.js'
import type { Ids } from '../auth/former.js'
import type { SetPage, SetPageQuery } from './set-page.js'
import type { RecordSet, SetConfig, SetLimits } from '../schemas/namespaces/sets.js'
import type { SlowGroup, SlowOperation, SlowPatch, SlowSettings } from '../schemas/server/slow.js'
import type { EngineStatus } from '../schemas/server/status.js'
import type { Comparison, Workload, WorkloadLatency, WorkloadRun, WorkloadSpec } from '../schemas/jobs/workloads.js'

export type { ExportSpec }

/** Returned at once from memory, or later from the device. */
export type MaybePromise<T> = T | Promise<T>

/** The memory that a request holds for its body, out of the budget of all requests. */
export interface Room {
  /** Requests more bytes. True: granted. False: queued; call again later. */
  take(bytes: number): boolean
  give(): void
}

export interface Engine extends Ids {
  readonly kind: string
  close(): Promise<void>
  /**
   * The first step of a close: stops the running jobs and refuses new ones. Unfinished index builds
   * run after the next start.
   */
  callOffJobs(): void
  /** Resolves as soon as no namespace recovers. */
  settled(): Promise<void>
  status(): Promise<EngineStatus>
  /** A lease that holds nothing yet. */
  room(): Room

  createNamespace(config: NamespaceConfig): Promise<Namespace>
  updateNamespace(name: string, patch: LiveSettings): Promise<Namespace>
  /** Opens a failed namespace again; with `acceptLoss`, with the data that is left. */
  reopenNamespace(name: string, acceptLoss: boolean): Promise<Namespace>
  /** `dryRun`: only says what would go. `forGood`: nothing can restore it. */
  dropNamespace(name: string, how: { dryRun?: boolean; forGood?: boolean }): Promise<DropReport>
  /** Dropped namespaces that can be restored, oldest drop first. */
  dropped(): Promise<Dropped[]>
  droppedOne(id: string): Promise<Dropped>
  /** Lists one again, under its own name or another, and opens it. */
  restoreDropped(id: string, name?: string): Promise<Namespace>
  /** Removes one for good before its time is up. */
  removeDropped(id: string, dryRun: boolean): Promise<DropReport>
  /** Makes a second store of the namespace and starts the job that fills it. */
  migrate(name: string, target: MigrationRequest): Promise<Job>
  migration(name: string): Promise<Migration>
  /** Starts that job again, after it failed or was aborted. */
  resumeMigration(name: string, pace: MigrationPace): Promise<Job>
  /** Lets the target decide, or the source again. */
  swapStores(name: string, cutOver: boolean): Promise<Migration>
  /** Removes the source of a migration that is cut over, else its target. */
  endMigration(name: string, cutOver: boolean): Promise<Namespace>
  /** Starts the job that backs a namespace up. */
  startBackup(name: string, request: BackupRequest): Promise<Job>
  /** Oldest first. */
  backups(target?: string): Promise<Backup[]>
  backup(id: string, target?: string): Promise<Backup>
  /** Starts the job that goes on with a backup that was cut off. */
  resumeBackup(id: string, pace: BackupPace, target?: string): Promise<Job>
  /** Starts the job that reads a backup and all that it builds on. */
  verifyBackup(id: string, threads?: number, target?: string): Promise<Job>
  restoreBackup(id: string, request: RestoreRequest, target?: string): Promise<Job>
  removeBackup(id: string, target?: string): Promise<Backup>
  /** Folders that the manifest does not list. */
  orphans(): Promise<Orphan[]>
  /** Lists the namespace in such a folder, under its own name or another, and opens it. */
  adoptOrphan(id: string, name?: string): Promise<Namespace>
  removeOrphan(id: string, dryRun: boolean): Promise<DropReport>
  namespaces(): Promise<Namespace[]>
  /** Names of all namespaces, oldest first; returned at once. */
  namespaceNames(): string[]
  namespace(name: string): Promise<Namespace>
  segments(namespace: string): Promise<Segment[]>
  /** Only for device namespaces. The map has at most `cells` cells per disk; 0: no map. */
  deviceReport(namespace: string, cells: number): Promise<DeviceReport>
  /** Only for paged namespaces. */
  pagesReport(namespace: string): Promise<PagesReport>
  /** The clusters that the operator has described. Asks none of them. */
  clusters(): Promise<KnownClusters>
  /** Only for namespaces on a cluster: asks its nodes, and waits for them as long as for one request. */
  clusterView(namespace: string): Promise<ClusterView>
  /** At most `cells` cells. */
  pageMap(namespace: string, cells: number): Promise<PageMap>
  pageSizes(namespace: string): Promise<PageSizes>
  size(namespace: string, set?: string): number | Promise<number>

  /** All of them. A list for users asks for pages. */
  sets(namespace: string): Promise<RecordSet[]>
  setPage(namespace: string, query: SetPageQuery): Promise<SetPage>
  set(namespace: string, set: string): Promise<RecordSet>
  createSet(namespace: string, set: SetConfig): Promise<RecordSet>
  limitSet(namespace: string, set: string, limits: SetLimits): Promise<RecordSet>
  switchSetIndex(namespace: string, set: string, on: boolean, threads?: number): Promise<Job>
  previewTruncate(namespace: string, set?: string, forGood?: boolean): Promise<DropReport>
  /** `before`: only records last updated before this time, Unix milliseconds. Unless `forGood`, it can be undone for a while. */
  truncate(namespace: string, set?: string, before?: number, forGood?: boolean): Promise<Job>
  /** Those that can be undone, oldest first. */
  truncations(namespace: string): Promise<Truncation[]>
  undoTruncation(namespace: string, id: string): Promise<Job>
  /** Makes a truncation final before its time is up. */
  settleTruncation(namespace: string, id: string): Promise<Job>

  planCapacity(query: CapacityQuery): CapacityPlan

  createIndex(namespace: string, spec: IndexSpec): Promise<Job>
  indexes(namespace: string): Promise<Index[]>
  index(namespace: string, name: string): Promise<Index>
  dropIndex(namespace: string, name: string, dryRun: boolean): Promise<DropReport>

  /** One record in the wanted shape; null if it does not exist. */
  getRecord(namespace: string, set: string, key: KeyInput, form: RecordForm): MaybePromise<Buffer | null>
  /** `bins`: an object of bins, in the shape of the options. */
  putRecord(namespace: string, set: string, key: KeyInput, bins: Buffer, options: WriteOptions): Promise<WriteResult>
  /** The bytes or text in `bin`; null if the record or the value does not exist. */
  getPlain(namespace: string, set: string, key: string, bin: string): MaybePromise<Buffer | null>
  /** Writes a record with `bytes` in `bin` and nothing else; replaces an existing record. */
  putPlain(namespace: string, set: string, key: string, bin: string, bytes: Buffer): Promise<WriteResult>
  deleteRecord(namespace: string, set: string, key: KeyInput, options: DeleteOptions): Promise<boolean>
  /** Runs a list of operations as one step. Returns the values read; null if the record does not exist. */
  operateRecord(
    namespace: string,
    set: string,
    key: KeyInput,
    operations: Buffer,
    form: OperateForm,
  ): Promise<Buffer | null>
  /** NDJSON lines `{"key":..,"bins":{..},"ttlSeconds"?,"op"?:"put"|"delete"}`. */
  writeRecords(namespace: string, set: string, ndjson: Buffer, options: BatchOptions): Promise<BatchReport>
  /**
   * `keys`: JSON array of keys, or one key per line. Returns one line per key, in order: the
   * record, or that it is missing.
   */
  readRecords(namespace: string, set: string, keys: Buffer, bins?: string[]): LineStream

  scan(namespace: string, spec: ScanSpec): Promise<RecordStream>
  explainScan(namespace: string, spec: ScanSpec): Promise<ScanPlan>
  query(namespace: string, spec: QuerySpec): Promise<RecordStream>
  /** The plan as JSON text; its numbers keep every digit. */
  explainQuery(namespace: string, spec: QuerySpec): Promise<string>
  /** Runs a query without returning records: a stream of its plan as JSON text, with the results of each step. */
  analyzeQuery(namespace: string, spec: QuerySpec): Promise<RecordStream>
  /** Passes records through steps: a stream of the elements that pass the last step. */
  stream(namespace: string, spec: StreamSpec): Promise<RecordStream>
  /** How a stream would find its records, as JSON text: the plan of a query with its first filters. */
  explainStream(namespace: string, spec: StreamSpec): Promise<string>
  /** Starts a scan or a count; the result is in the job. */
  tally(namespace: string, spec: TallySpec): Promise<Job>
  /** Starts to read everything that a device namespace stores; 0 bytes per second: no throttle. */
  scrub(namespace: string, bytesPerSecond?: number): Promise<Job>
  /** Starts to measure what the devices of a namespace cost a scan. */
  calibrate(namespace: string): Promise<Job>
  /** Starts to free the room of half-empty pages of a paged namespace. */
  compact(namespace: string): Promise<Job>
  export(namespace: string, spec: ExportSpec): Promise<ExportStream>
  beginImport(namespace: string, spec: ImportSpec): Promise<ImportSession>
  /** An import that a stop of the server interrupted, by the id of its job. */
  interruptedImport(jobId: string): Promise<InterruptedImport>
  /** Resumes it under the same job. The client sends the stream again from byte 0; stored rows are skipped. */
  resumeImport(jobId: string): Promise<ImportSession>
  /** Gives it up. `waits`: it still waits for the rest of its upload, and is aborted next. */
  forgetImport(jobId: string, waits?: boolean): Promise<void>
  /** The rejected rows of an import: as objects, or as they were sent. */
  /** `values`: the rows of an upload in MessagePack. */
  rejects(jobId: string, form: 'lines' | 'rows' | 'values'): Promise<RejectStream>
  /** Generated events; the same seed gives the same events. */
  sampleEvents(spec: SampleEvents): LineStream

  /** Running jobs, newest first. The cost does not depend on the number of kept jobs. */
  runningJobs(): Job[]
  /** A page of jobs, newest first. */
  jobs(query?: JobQuery): Promise<JobList<Job>>
  job(id: string): Job
  /** Notes who started a job; only the first note counts. */
  attributeJob(id: string, who: string): void
  patchJob(id: string, patch: JobPatch): Job
  abortJob(id: string): Job
  /** Resolves when the job has ended, or after `timeoutMs`. */
  waitJob(id: string, timeoutMs: number): Promise<Job>

  startWorkload(spec: WorkloadSpec): Promise<Workload>
  /** A page of runs, newest first. */
  workloads(query?: JobQuery): Promise<JobList<Workload>>
  workload(id: string): Promise<WorkloadRun>
  workloadLatency(id: string): Promise<WorkloadLatency>
  compareWorkloads(ids: string[]): Promise<Comparison>
  /** Aborts a running run, or deletes one that ended. Returns the run as it was. */
  removeWorkload(id: string): Promise<Workload>

  /** Records what a client saw: HTTP in to last byte. */
  recordLatency(namespace: string, op: Operation, nanos: number, ok: boolean): void
  /** Calls `listener` once per second with the newest frame; the returned function stops it. */
  onFrame(callback: (frame: MetricsFrame) => void): () => void
  /** Oldest first. `stepSeconds` is at least that of the query: what lies far back is kept in longer steps only. */
  history(query: HistoryRange): Promise<HistoryStream>

  slowOperations(query: SlowRange): Promise<{ items: SlowOperation[]; truncated: boolean }>
  /** The same, by shape. */
  slowGroups(query: SlowRange): Promise<{ items: SlowGroup[]; truncated: boolean }>
  slowSettings(): SlowSettings
  changeSlowSettings(patch: SlowPatch): Promise<SlowSettings>
  /** Returns how many there were. */
  clearSlowOperations(): Promise<number>
}

export type KeyInput =
  | { type: 'string'; value: string }
  | { type: 'integer'; value: bigint }
  | { type: Exclude<KeyType, 'string' | 'integer'>; value: Buffer }

/** `record`: the record object of /api/v1; `v1`: the one of the compatible API, in JSON; `packed`: that in MessagePack. */
export type Shape = 'record' | 'v1' | 'packed'

/** A filter as JSON that the existing record must pass. */
export interface Filtered {
  where?: Buffer
}

/** `bins` absent = all, [] = none. */
export interface RecordForm extends Filtered {
  shape: Shape
  bins?: string[]
  route?: string
}

/** `named`: as `/v1/operate` writes operations; `typed`: as `/v2/operate` and batches do. */
export interface OperateForm {
  dialect: 'named' | 'typed'
  /** Its shape is that of the operations. */
  write: WriteOptions
  answer: 'v1' | 'packed'
  /** A change has the result null. */
  respondAll: boolean
  /** Refuses changes. */
  readOnly: boolean
}

/**
 * upsert: always; create: only if missing; replace: only if it exists, all bins;
 * update: only if it exists, merges; merge: creates or merges. In a merge, a null bin deletes the bin.
 */
export type Exists = 'upsert' | 'create' | 'replace' | 'update' | 'merge'

export interface Precondition {
  generation?: number
  generationPolicy?: 'equal' | 'greater'
}

export interface WriteOptions extends Precondition, Filtered {
  exists: Exists
  shape: Shape
  /** -1 never, -2 keep, 0 or absent: the namespace's default. */
  ttlSeconds?: number
}

export interface DeleteOptions extends Precondition, Filtered {
  route?: string
}

export interface BatchOptions {
  atomic: boolean
  exists: Exists
}

export interface ScanSpec {
  set?: string
  threads: number
  recordsPerSecond?: number
  bins?: string[]
  where?: Buffer
  sample?: Sample
  segments?: number[]
  /** Whether a line marks the end of each segment. */
  segmentMarks?: boolean
  aggregate?: Buffer
  useIndex?: 'auto' | 'force' | 'never'
  plan?: 'auto' | 'set-index' | 'set-column' | 'device'
  limit?: number
  cursor?: string
  /** Key of the record to begin at, without a cursor. */
  from?: KeyInput['value']
  shape: Shape
}

export interface TallySpec {
  kind: 'scan' | 'count'
  set?: string
  where?: Buffer
  sample?: Sample
  aggregate?: Buffer
  useIndex?: 'auto' | 'force' | 'never'
  plan?: 'auto' | 'set-index' | 'set-column' | 'device'
  threads: number
  recordsPerSecond?: number
}

export interface StreamSpec {
  set?: string
  /** Unset: the segments this node is the primary owner of. */
  segments?: number[]
  /** A list of steps as JSON. */
  steps: Buffer
  threads?: number
  recordsPerSecond?: number
  /** Most elements answered if no step limits them. */
  most?: number
  /** Answer a count as a bare number. */
  bareCount: boolean
}

export interface QuerySpec {
  set?: string
  where?: Buffer
  sample?: Sample
  aggregate?: Buffer
  /** The grouping of the aggregates, as JSON. */
  group?: Buffer
  /** Names of bins, or JSON of columns with paths. */
  select?: string[] | Buffer
  /** A list to unnest, as JSON. */
  unnest?: Buffer
  route?: string
  limit?: number
  cursor?: string
  /** `auto`, `never`, or the name of an index. */
  useIndex?: string
  order?: Buffer
  threads?: number
  /** Unset: the segments this node is the primary owner of. */
  segments?: number[]
  /** First partition and number of partitions; unset: all. */
  partitionBegin?: number
  partitionCount?: number
  /** Absent: `record`. `values`: MessagePack, a value for each line. */
  shape?: Shape | 'values' | 'csv'
}

export interface ImportSpec {
  set?: string
  format: 'csv' | 'ndjson' | 'msgpack' | 'github-archive'
  encoding?: 'identity' | 'gzip' | 'zstd'
  key?: string
  keyType?: 'string' | 'integer' | 'auto'
  threads: number
  columns?: string[]
  header?: boolean
  types?: Record<string, 'auto' | 'string' | 'integer' | 'double' | 'boolean' | 'json'>
  /** `bin:source` or `bin:source:type` each. */
  map?: string[]
  distributionBin?: string
  mode?: 'upsert' | 'insert'
  /** Whether records of an export go to the sets that they name. Unset: if `set` is. */
  keepSets?: boolean
  /** Whether they keep their time to live. Unset: they do, unless `ttlSeconds` is set. */
  keepExpiry?: boolean
  /** Whether they keep their generations. Unset: an import gives new ones. */
  keepGenerations?: boolean
  dryRun?: boolean
  ttlSeconds?: number
  bytesTotal?: number
  /** Name by which the caller finds the job. */
  tag?: string
}

export interface SampleEvents {
  rows: number
  /** Number of the first row, from 0. */
  first: number
  seed: number
  format: 'csv' | 'ndjson'
}

/** Pulled chunks of whole lines; a slow reader slows the producer down. */
export interface LineStream {
  next(): MaybePromise<Buffer | null>
  summary(): StreamSummary
  abort(): void
}

/** Which jobs or runs a page is of. An unset field takes all. */
export interface JobQuery {
  kinds?: string[]
  states?: string[]
  namespace?: string
  /** Created then or later. */
  fromMs?: number
  /** Created before. */
  toMs?: number
  /** Older than the one with this id, which may be gone. */
  after?: string
  /** Default: 500. */
  limit?: number
}

export interface JobList<T> {
  items: T[]
  /** Whether older ones follow. */
  more: boolean
}

/** One whose work is a job. */
export interface RecordStream extends LineStream {
  readonly jobId: string
  /** Like `abort`, because the client does not read: the job fails with `reader_stalled` and this message. */
  stalled(message: string): void
  /** Memory that waits for the reader, including that of waiting workers. */
  heldBytes(): number
}

export interface ExportStream extends RecordStream {
  /** Which namespace's records come, and in which order, if they come in one. */
  readonly exportId?: string | null
}

export interface ImportSession {
  readonly jobId: string
  /** Resolves when there is room for more. `spare`: nobody else reads the chunk, so its memory may be freed at once. */
  write(chunk: Buffer, spare?: boolean): Promise<void>
  finish(): Promise<Omit<ImportReport, 'jobId'>>
  /** Rows inserted and updated so far. */
  storedRows(): number
  /** Reports that the upload broke off: the job is paused until `release`. */
  hold(): void
  release(): void
  /** Stops because the server stops. `resumeImport` can resume it if its stored rows survive. */
  interrupt(): void
  abort(): void
}

export interface InterruptedImport {
  namespace: string
  set?: string
  totalBytes?: number
  storedRows: number
}

/** Pulled chunks of whole lines; close it when nobody reads on. */
export interface RejectStream {
  next(): Promise<Buffer | null>
  close(): void
}

/** Frames of the past as lines of JSON, oldest first. Each piece is read and added up when it is asked for. */
export interface HistoryStream {
  /** At least what was asked for. */
  readonly stepSeconds: number
  next(): Promise<Buffer | null>
  close(): void
}

export interface SlowRange {
  namespace?: string
  /** The one with this id alone, and none that had the name before. */
  namespaceId?: string
  set?: string
  /** One of these; unset: all. */
  ops?: string[]
  sinceMs?: number
  untilMs?: number
  minMs?: number
  belowMs?: number
  minEngineMs?: number
  belowEngineMs?: number
  sort: 'newest' | 'slowest'
  limit: number
}

export interface HistoryRange {
  fromMs: number
  toMs: number
  stepSeconds: number
  namespace?: string
  op?: Operation
}
