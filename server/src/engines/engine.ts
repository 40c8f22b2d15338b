// What a storage engine offers the routes. Control answers have the shape of the API; record bodies are bytes.
import type { CapacityPlan, CapacityQuery } from '../schemas/capacity.js'
import type { DeviceReport } from '../schemas/device.js'
import type { DropReport } from '../schemas/drop.js'
import type { Index, IndexSpec } from '../schemas/indexes.js'
import type { Job, JobPatch } from '../schemas/jobs.js'
import type { ImportReport } from '../schemas/load.js'
import type { MetricsFrame, Operation } from '../schemas/metrics.js'
import type { Namespace, NamespaceConfig, NamespacePatch, Segment } from '../schemas/namespaces.js'
import type { Orphan } from '../schemas/orphans.js'
import type { PageMap, PageSizes, PagesReport } from '../schemas/paged.js'
import type { BatchReport, KeyType, WriteResult } from '../schemas/records.js'
import type { ScanPlan } from '../schemas/plans.js'
import type { Sample, StreamSummary } from '../schemas/search.js'
import type { RecordSet, SetConfig, SetLimits } from '../schemas/sets.js'
import type { EngineStatus } from '../schemas/status.js'
import type { Comparison, Workload, WorkloadRun, WorkloadSpec } from '../schemas/workloads.js'

/** Answered from memory at once, or from the device later. */
export type MaybePromise<T> = T | Promise<T>

/** What a request holds for its body, out of what all requests may hold together. */
export interface Room {
  /** Asks for so many bytes more. True: it has them. False: it is in the queue; ask again in a while. */
  take(bytes: number): boolean
  give(): void
}

export interface Engine {
  readonly kind: string
  close(): Promise<void>
  /** The first step of a close: calls off the jobs at work, and refuses further ones. What they were to build is built after the start. */
  callOffJobs(): void
  /** Resolves when no namespace is recovering any more. */
  settled(): Promise<void>
  status(): Promise<EngineStatus>
  /** Of a request that has taken nothing yet. */
  room(): Room

  createNamespace(config: NamespaceConfig): Promise<Namespace>
  updateNamespace(name: string, patch: NamespacePatch): Promise<Namespace>
  /** Tries once more to open a namespace that failed; with `acceptLoss` with what is left of it. */
  reopenNamespace(name: string, acceptLoss: boolean): Promise<Namespace>
  dropNamespace(name: string, dryRun: boolean): Promise<DropReport>
  /** Folders that no namespace has. */
  orphans(): Promise<Orphan[]>
  /** Lists the namespace in such a folder, under its own name or another, and opens it. */
  adoptOrphan(id: string, name?: string): Promise<Namespace>
  removeOrphan(id: string, dryRun: boolean): Promise<DropReport>
  namespaces(): Promise<Namespace[]>
  /** Of all, oldest first: at once. */
  namespaceNames(): string[]
  namespace(name: string): Promise<Namespace>
  segments(namespace: string): Promise<Segment[]>
  /** Of a device namespace, with a map of at most `cells` cells a disk; 0: without the map. */
  deviceReport(namespace: string, cells: number): Promise<DeviceReport>
  /** Of a paged namespace. */
  pagesReport(namespace: string): Promise<PagesReport>
  /** At most `cells` cells. */
  pageMap(namespace: string, cells: number): Promise<PageMap>
  pageSizes(namespace: string): Promise<PageSizes>
  size(namespace: string, set?: string): number | Promise<number>

  sets(namespace: string): Promise<RecordSet[]>
  createSet(namespace: string, set: SetConfig): Promise<RecordSet>
  limitSet(namespace: string, set: string, limits: SetLimits): Promise<RecordSet>
  switchSetIndex(namespace: string, set: string, on: boolean, threads?: number): Promise<Job>
  previewTruncate(namespace: string, set?: string): Promise<DropReport>
  /** `before`: only what was last updated before it, Unix milliseconds. */
  truncate(namespace: string, set?: string, before?: number): Promise<Job>

  planCapacity(query: CapacityQuery): CapacityPlan

  createIndex(namespace: string, spec: IndexSpec): Promise<Job>
  indexes(namespace: string): Promise<Index[]>
  index(namespace: string, name: string): Promise<Index>
  dropIndex(namespace: string, name: string, dryRun: boolean): Promise<DropReport>

  /** One record in the shape that is wanted; null when there is none. */
  getRecord(namespace: string, set: string, key: KeyInput, form: RecordForm): MaybePromise<Buffer | null>
  /** `bins`: an object of bins, in the shape of the options. */
  putRecord(namespace: string, set: string, key: KeyInput, bins: Buffer, options: WriteOptions): Promise<WriteResult>
  /** What a record has in `bin`, bytes or text; null when there is no such record, or no such value in it. */
  getPlain(namespace: string, set: string, key: string, bin: string): MaybePromise<Buffer | null>
  /** Writes a record that has `bytes` in `bin` and nothing else, whatever was there. */
  putPlain(namespace: string, set: string, key: string, bin: string, bytes: Buffer): Promise<WriteResult>
  deleteRecord(namespace: string, set: string, key: KeyInput, options: DeleteOptions): Promise<boolean>
  /** Runs a list of operations as one step: what they read; null when there is no record to read. */
  operateRecord(
    namespace: string,
    set: string,
    key: KeyInput,
    operations: Buffer,
    form: OperateForm,
  ): Promise<Buffer | null>
  /** NDJSON lines `{"key":..,"bins":{..},"ttlSeconds"?,"op"?:"put"|"delete"}`. */
  writeRecords(namespace: string, set: string, ndjson: Buffer, options: BatchOptions): Promise<BatchReport>
  /** `keys`: JSON array of keys or one a line; a line for each, in their order: the record, or that it is missing. */
  readRecords(namespace: string, set: string, keys: Buffer, bins?: string[]): LineStream

  scan(namespace: string, spec: ScanSpec): Promise<RecordStream>
  explainScan(namespace: string, spec: ScanSpec): Promise<ScanPlan>
  query(namespace: string, spec: QuerySpec): Promise<RecordStream>
  /** The plan as JSON text, whose looked-up numbers have every digit. */
  explainQuery(namespace: string, spec: QuerySpec): Promise<string>
  /** Carries a query out without its records: a stream of its plan as JSON text, with what each step came to. */
  analyzeQuery(namespace: string, spec: QuerySpec): Promise<RecordStream>
  /** Takes records through steps: a stream of what comes to the end. */
  stream(namespace: string, spec: StreamSpec): Promise<RecordStream>
  /** How a stream would find its records: the plan of a query with its first filters, as JSON text. */
  explainStream(namespace: string, spec: StreamSpec): Promise<string>
  /** Starts a scan or a count whose result is in its job. */
  tally(namespace: string, spec: TallySpec): Promise<Job>
  /** Starts reading all that a device namespace stores; 0 bytes a second: no bound. */
  scrub(namespace: string, bytesPerSecond?: number): Promise<Job>
  /** Starts measuring what the devices of a namespace cost a scan. */
  calibrate(namespace: string): Promise<Job>
  /** Starts giving the room of half-empty pages of a paged namespace back. */
  compact(namespace: string): Promise<Job>
  export(namespace: string, spec: ExportSpec): Promise<RecordStream>
  beginImport(namespace: string, spec: ImportSpec): Promise<ImportSession>
  /** An import that a stop of the server cut off, by the id of its job. */
  interruptedImport(jobId: string): Promise<InterruptedImport>
  /** Goes on with it, under the same job: the stream comes again from its first byte, and what was stored is passed over. */
  resumeImport(jobId: string): Promise<ImportSession>
  /** Gives it up. */
  forgetImport(jobId: string): Promise<void>
  /** The rows that an import did not take: objects, or the rows as they were sent. */
  rejects(jobId: string, form: 'lines' | 'rows'): Promise<RejectStream>
  /** Generated events: the same ones for the same seed. */
  sampleEvents(spec: SampleEvents): LineStream

  /** Those that have not ended, newest first: what they cost does not depend on how many are kept. */
  runningJobs(): Job[]
  /** Newest first. */
  jobs(): Job[]
  job(id: string): Job
  /** Notes who asked for a job; only the first note counts. */
  attributeJob(id: string, who: string): void
  patchJob(id: string, patch: JobPatch): Job
  abortJob(id: string): Job
  /** Resolves when the job has ended, or after `timeoutMs`. */
  waitJob(id: string, timeoutMs: number): Promise<Job>

  startWorkload(spec: WorkloadSpec): Promise<Workload>
  /** Newest first. */
  workloads(): Workload[]
  workload(id: string): Promise<WorkloadRun>
  compareWorkloads(ids: string[]): Promise<Comparison>
  /** Aborts a run that goes on, or forgets one that has ended; the run as it was. */
  removeWorkload(id: string): Promise<Workload>

  /** Records what a client saw: HTTP in to last byte. */
  recordLatency(namespace: string, op: Operation, nanos: number, ok: boolean): void
  /** Calls back once a second with the newest frame; the result stops it. */
  onFrame(callback: (frame: MetricsFrame) => void): () => void
  history(query: HistoryRange): Promise<MetricsFrame[]>
}

export type KeyInput =
  | { type: 'string'; value: string }
  | { type: 'integer'; value: bigint }
  | { type: Exclude<KeyType, 'string' | 'integer'>; value: Buffer }

/** `record`: the record object of /api/v1; `v1`: the one of the compatible API, in JSON; `packed`: that in MessagePack. */
export type Shape = 'record' | 'v1' | 'packed'

/** A filter as JSON, asked of the record that is there. */
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
  /** Changes have a null as their result. */
  respondAll: boolean
  /** Refuses changes. */
  readOnly: boolean
}

/**
 * upsert: whatever was there; create: only when absent; replace: only when present, all bins;
 * update: only when present, merges; merge: creates or merges. Merging, a null bin deletes the bin.
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
  /** Whether a line says of each segment that its last record has come. */
  segmentMarks?: boolean
  aggregate?: Buffer
  useIndex?: 'auto' | 'force' | 'never'
  plan?: 'auto' | 'set-index' | 'set-column' | 'device'
  limit?: number
  cursor?: string
  /** Key of the record to begin at, where there is no cursor. */
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
  /** Absent: those of which this node is the primary owner. */
  segments?: number[]
  /** A list of steps as JSON. */
  steps: Buffer
  threads?: number
  recordsPerSecond?: number
  /** Most elements answered where no step bounds them. */
  most?: number
  /** A count comes as the number alone. */
  bareCount: boolean
}

export interface QuerySpec {
  set?: string
  where?: Buffer
  sample?: Sample
  aggregate?: Buffer
  /** By what the aggregates are grouped, as JSON. */
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
  /** Absent: those of which this node is the primary owner. */
  segments?: number[]
  /** First partition wanted and how many; absent: all. */
  partitionBegin?: number
  partitionCount?: number
  /** Absent: `record`. */
  shape?: Shape | 'csv'
}

export interface ExportSpec {
  set?: string
  where?: Buffer
  format: 'ndjson' | 'csv'
  columns?: string[]
  threads?: number
}

export interface ImportSpec {
  set?: string
  format: 'csv' | 'ndjson' | 'github-archive'
  encoding: 'identity' | 'gzip' | 'zstd'
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
  dryRun?: boolean
  ttlSeconds?: number
  bytesTotal?: number
  /** By which the caller knows the job again. */
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
  next(): Promise<Buffer | null>
  summary(): StreamSummary
  abort(): void
}

/** One whose work is a job. */
export interface RecordStream extends LineStream {
  readonly jobId: string
  /** As `abort`, for a reader that does not read: the job fails with `reader_stalled` and this message. */
  stalled(message: string): void
  /** Memory that waits for the reader; if the workers wait as well, with what each of them holds. */
  heldBytes(): number
}

export interface ImportSession {
  readonly jobId: string
  /** Resolves when there is room for more. `spare`: nobody reads the chunk any more, so its memory may be freed at once. */
  write(chunk: Buffer, spare?: boolean): Promise<void>
  finish(): Promise<Omit<ImportReport, 'jobId'>>
  /** Rows inserted and updated so far. */
  storedRows(): number
  /** Says that the upload broke off: the job is shown as paused until `release`. */
  hold(): void
  release(): void
  /** Stops because the server does: `resumeImport` goes on with it, where what it stored lasts. */
  interrupt(): void
  abort(): void
}

export interface InterruptedImport {
  namespace: string
  set?: string
  totalBytes?: number
  storedRows: number
}

/** Pulled chunks of whole lines; closed when nobody reads on. */
export interface RejectStream {
  next(): Promise<Buffer | null>
  close(): void
}

export interface HistoryRange {
  fromMs: number
  toMs: number
  stepSeconds: number
  namespace?: string
  op?: Operation
}
