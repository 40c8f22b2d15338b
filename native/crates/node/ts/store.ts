// The store: what the addon does, with failures thrown as `StoreError`.
import {
  openStore as openNative,
  operations,
  planCapacity as planNative,
  type BatchReport,
  type CapacityPlan,
  type CapacityQuery,
  type DeviceReport,
  type DropReport,
  type ExportSpec,
  type HistoryRange,
  type ImportSpec,
  type IndexInfo,
  type IndexSpec,
  type InterruptedImport,
  type JobInfo,
  type JobPatch,
  type LatencySeries,
  type MemoryLimits,
  type MetricsFrame,
  type NamespaceConfig,
  type NamespaceInfo,
  type NamespacePatch,
  type NativeStore,
  type OrphanInfo,
  type PageMap,
  type PageSizes,
  type PagesReport,
  type QuerySpec,
  type StreamSpec,
  type RecordBatch,
  type RecordDelete,
  type RecordForm,
  type RecordOperate,
  type RecordWrite,
  type SampleEvents,
  type ScanPlan,
  type ScanSpec,
  type SegmentInfo,
  type SetConfig,
  type SetInfo,
  type SetLimits,
  type StoreStatus,
  type TallySpec,
  type WriteResult,
} from '#addon'
import { call, callLater, unwrap } from './errors.js'
import { ImportSession } from './import-session.js'
import type { KeyInput } from './keys.js'
import { LatencyBatch } from './latency-batch.js'
import { LineStream, RecordStream } from './record-stream.js'
import { RejectStream } from './reject-stream.js'
import { Room } from './room.js'

/** Answered from memory at once, or from the device later. */
export type MaybePromise<T> = T | Promise<T>

/** What latency is kept of. */
export type Operation = LatencySeries['op']

const OPERATIONS = operations() as readonly Operation[]

/** Where the addon writes the answer to a small read. Both sides are done with it before anything else runs. */
const scratch = Buffer.allocUnsafeSlow(32 * 1024)

function copyOfScratch(length: number): Buffer {
  const copy = Buffer.allocUnsafe(length)
  scratch.copy(copy, 0, 0, length)
  return copy
}

/** Whether a read is one of those that have a way of their own. */
const isPlain = ({ shape, bins, route, where }: RecordForm): boolean =>
  bins === undefined && route === undefined && where === undefined && (shape === 'record' || shape === 'v1')

export interface StoreOptions {
  /** Made if it is not there. One process at a time holds it. */
  dataDirectory: string
  /** How reads and writes of devices are kept in flight; `auto` by default: io_uring where the kernel allows it. */
  io?: 'auto' | 'io_uring' | 'threads'
  /** Folders below which new namespaces may have files, and block devices; none unless given. */
  devicePaths?: string[]
  /** How much memory it may use; what is absent is a share of what the process may use. */
  memory?: MemoryLimits
}

/** Opens a data directory. Namespaces on devices may still recover: until they are back their calls fail with `starting`. */
export async function openStore(options: StoreOptions): Promise<Store> {
  return new Store(
    await callLater(() => openNative(options.dataDirectory, options.io, options.devicePaths, options.memory)),
  )
}

/** What a namespace would take; no store is needed. */
export function planCapacity(query: CapacityQuery): CapacityPlan {
  return call(() => planNative(query))
}

export class Store {
  readonly #native: NativeStore
  readonly #latencies: LatencyBatch

  constructor(native: NativeStore) {
    this.#native = native
    this.#latencies = new LatencyBatch(native)
  }

  /** Room for what a request holds for its body, out of what all requests may hold together. */
  room(): Room {
    return new Room(this.#native.room())
  }

  /** Aborts the jobs at work, flushes, and lets the data directory go. */
  async close(): Promise<void> {
    await callLater(() => this.#native.close())
  }

  /** Calls off the jobs at work, and refuses further ones; what they were to build is built after the next start. */
  callOffJobs(): void {
    this.#native.callOffJobs()
  }

  /** Resolves when no namespace is recovering any more. */
  async settled(): Promise<void> {
    await callLater(() => this.#native.settled())
  }

  status(): Promise<StoreStatus> {
    return callLater(() => this.#native.status())
  }

  createNamespace(config: NamespaceConfig): Promise<NamespaceInfo> {
    return callLater(() => this.#native.createNamespace(config))
  }

  updateNamespace(name: string, patch: NamespacePatch): Promise<NamespaceInfo> {
    return callLater(() => this.#native.updateNamespace(name, patch))
  }

  /**
   * Tries once more to open a namespace that failed; one that is open is returned as it is. With `acceptLoss`, one that failed
   * because acknowledged data is gone is opened with what is left.
   */
  reopenNamespace(name: string, acceptLoss = false): Promise<NamespaceInfo> {
    return callLater(() => this.#native.reopenNamespace(name, acceptLoss))
  }

  /** Drops a namespace and everything in it, or with `dryRun` says what would go. */
  dropNamespace(name: string, dryRun: boolean): Promise<DropReport> {
    return callLater(() => this.#native.dropNamespace(name, dryRun))
  }

  /** Folders that no namespace has. */
  orphans(): Promise<OrphanInfo[]> {
    return callLater(() => this.#native.orphans())
  }

  /** Lists the namespace in such a folder, under its own name or another, and opens it; it may have failed then. */
  adoptOrphan(id: string, name?: string): Promise<NamespaceInfo> {
    return callLater(() => this.#native.adoptOrphan(id, name))
  }

  /** Removes such a folder, or with `dryRun` says what would go. */
  removeOrphan(id: string, dryRun: boolean): Promise<DropReport> {
    return callLater(() => this.#native.removeOrphan(id, dryRun))
  }

  namespaces(): Promise<NamespaceInfo[]> {
    return callLater(() => this.#native.namespaces())
  }

  /** Of all namespaces, oldest first: at once. */
  namespaceNames(): string[] {
    return call(() => this.#native.namespaceNames())
  }

  namespace(name: string): Promise<NamespaceInfo> {
    return callLater(() => this.#native.namespace(name))
  }

  /** Disks, queues and write blocks of a device namespace, in a map of at most `cells` cells a disk; 0: without the map. */
  deviceReport(namespace: string, cells: number): Promise<DeviceReport> {
    return callLater(() => this.#native.deviceReport(namespace, cells))
  }

  /** Cache, log, checkpoints and traffic of a paged namespace. */
  pagesReport(namespace: string): Promise<PagesReport> {
    return callLater(() => this.#native.pagesReport(namespace))
  }

  /** A map of the pages of a paged namespace, of at most `cells` cells. */
  pageMap(namespace: string, cells: number): Promise<PageMap> {
    return callLater(() => this.#native.pageMap(namespace, cells))
  }

  /** What pages of other sizes would cost the reads there were. */
  pageWhatIf(namespace: string): Promise<PageSizes> {
    return callLater(() => this.#native.pageWhatIf(namespace))
  }

  segments(namespace: string): Promise<SegmentInfo[]> {
    return callLater(() => this.#native.segments(namespace))
  }

  /** Records of a namespace or of one of its sets, where nodes share the segments of those of this node. */
  size(namespace: string, set?: string): MaybePromise<number> {
    const size = call(() => this.#native.size(namespace, set))
    return size instanceof Promise ? size.then((later) => unwrap(later)) : size
  }

  sets(namespace: string): Promise<SetInfo[]> {
    return callLater(() => this.#native.sets(namespace))
  }

  createSet(namespace: string, set: SetConfig): Promise<SetInfo> {
    return callLater(() => this.#native.createSet(namespace, set))
  }

  /** How much a set may hold from now on. */
  limitSet(namespace: string, set: string, limits: SetLimits): Promise<SetInfo> {
    return callLater(() => this.#native.limitSet(namespace, set, limits))
  }

  /** Switches the index of a set on or off; off is done when this resolves. */
  switchSetIndex(namespace: string, set: string, on: boolean, threads?: number): Promise<JobInfo> {
    return callLater(() => this.#native.switchSetIndex(namespace, set, on, threads))
  }

  /** Empties a set or a namespace; with `dryRun` says what would go. */
  truncate(namespace: string, set: string | undefined, dryRun: true): Promise<DropReport>
  /** `before`: only what was last updated before it, Unix milliseconds. */
  truncate(namespace: string, set: string | undefined, dryRun: false, before?: number): Promise<JobInfo>
  truncate(
    namespace: string,
    set: string | undefined,
    dryRun: boolean,
    before?: number,
  ): Promise<DropReport | JobInfo> {
    return callLater(() => this.#native.truncate(namespace, set, dryRun, before))
  }

  /** Starts the build of an index, on all cores unless told otherwise. */
  createIndex(namespace: string, spec: IndexSpec): Promise<JobInfo> {
    return callLater(() => this.#native.createIndex(namespace, spec))
  }

  indexes(namespace: string): Promise<IndexInfo[]> {
    return callLater(() => this.#native.indexes(namespace))
  }

  index(namespace: string, name: string): Promise<IndexInfo> {
    return callLater(() => this.#native.index(namespace, name))
  }

  /** Drops an index at once; a build of it is aborted. */
  dropIndex(namespace: string, name: string): Promise<DropReport> {
    return callLater(() => this.#native.dropIndex(namespace, name))
  }

  /** One record in the shape that is wanted; null when there is none. */
  getRecord(namespace: string, set: string, key: KeyInput, form: RecordForm): MaybePromise<Buffer | null> {
    const found = call(() =>
      key.type === 'string' && isPlain(form)
        ? this.#native.readRecord(namespace, set, key.value, form.shape === 'v1', scratch)
        : this.#native.getRecord(namespace, set, key.value, key.type === 'digest', form),
    )
    if (typeof found === 'number') return found < 0 ? null : copyOfScratch(found)
    return found instanceof Promise ? found.then((later) => unwrap(later)) : found
  }

  /** A line for each key of a JSON array of keys (or one a line), in their order: the record, or that it is missing. */
  readRecords(namespace: string, set: string, keys: Buffer, bins?: string[]): LineStream {
    return new LineStream(call(() => this.#native.readRecords(namespace, set, keys, bins)))
  }

  /** Writes a record whose bins are an object. */
  putRecord(namespace: string, set: string, key: KeyInput, bins: Buffer, options: RecordWrite): Promise<WriteResult> {
    return callLater(() => this.#native.putRecord(namespace, set, key.value, key.type === 'digest', bins, options))
  }

  /** What a record has in `bin`, bytes or text; null when there is no such record, or no such value in it. */
  getPlain(namespace: string, set: string, key: string, bin: string): MaybePromise<Buffer | null> {
    const found = call(() => this.#native.getPlain(namespace, set, key, bin))
    return found instanceof Promise ? found.then((later) => unwrap(later)) : found
  }

  /** Writes a record that has `bytes` in `bin` and nothing else. */
  putPlain(namespace: string, set: string, key: string, bin: string, bytes: Buffer): Promise<WriteResult> {
    return callLater(() => this.#native.putPlain(namespace, set, key, bin, bytes))
  }

  /** Whether there was such a record. */
  deleteRecord(namespace: string, set: string, key: KeyInput, options: RecordDelete): Promise<boolean> {
    return callLater(() => this.#native.deleteRecord(namespace, set, key.value, key.type === 'digest', options))
  }

  /** Runs operations on a record as one step: what they read; null when there is no record to read. */
  operateRecord(
    namespace: string,
    set: string,
    key: KeyInput,
    operations: Buffer,
    form: RecordOperate,
  ): Promise<Buffer | null> {
    return callLater(() =>
      this.#native.operateRecord(namespace, set, key.value, key.type === 'digest', operations, form),
    )
  }

  /** Writes NDJSON lines `{"key":..,"bins":{..},"ttlSeconds"?,"op"?:"put"|"delete"}`; refused lines are reported. */
  writeRecords(namespace: string, set: string, ndjson: Buffer, options: RecordBatch): Promise<BatchReport> {
    return callLater(() => this.#native.writeRecords(namespace, set, ndjson, options))
  }

  /** Starts a scan: a stream of lines. */
  async scan(namespace: string, spec: ScanSpec): Promise<RecordStream> {
    return new RecordStream(await callLater(() => this.#native.scan(namespace, spec)))
  }

  explainScan(namespace: string, spec: ScanSpec): Promise<ScanPlan> {
    return callLater(() => this.#native.explainScan(namespace, spec))
  }

  /** Starts a query: a stream of lines. */
  async query(namespace: string, spec: QuerySpec): Promise<RecordStream> {
    return new RecordStream(await callLater(() => this.#native.query(namespace, spec)))
  }

  /** The plan of a query as JSON text: terms that are looked up may hold integers of 64 bits. */
  explainQuery(namespace: string, spec: QuerySpec): Promise<string> {
    return callLater(() => this.#native.explainQuery(namespace, spec))
  }

  /** Carries a query out without its records: a stream of its plan as JSON text, with what each step came to. */
  async analyzeQuery(namespace: string, spec: QuerySpec): Promise<RecordStream> {
    return new RecordStream(await callLater(() => this.#native.analyzeQuery(namespace, spec)))
  }

  /** Starts an export: a stream of lines of NDJSON or CSV. */
  async export(namespace: string, spec: ExportSpec): Promise<RecordStream> {
    return new RecordStream(await callLater(() => this.#native.export(namespace, spec)))
  }

  /** Generated events as lines of CSV or NDJSON: the same ones for the same seed. */
  sampleEvents(spec: SampleEvents): LineStream {
    return new LineStream(call(() => this.#native.sampleEvents(spec)))
  }

  /** Takes records through steps: a stream of what comes to the end. */
  async stream(namespace: string, spec: StreamSpec): Promise<RecordStream> {
    return new RecordStream(await callLater(() => this.#native.stream(namespace, spec)))
  }

  /** How a stream would find its records: the plan of a query with its first filters, as JSON text. */
  explainStream(namespace: string, spec: StreamSpec): Promise<string> {
    return callLater(() => this.#native.explainStream(namespace, spec))
  }

  /** Starts a bulk load; `query`, if given, is kept, so that the import can go on after a restart. */
  async beginImport(namespace: string, spec: ImportSpec, query?: string): Promise<ImportSession> {
    return new ImportSession(await callLater(() => this.#native.beginImport(namespace, spec, query)))
  }

  /** Of a job that a stop of the server ended. */
  interruptedImport(jobId: string): Promise<InterruptedImport> {
    return callLater(() => this.#native.interruptedImport(jobId))
  }

  /** Goes on with it, under the same job: the stream comes again from its first byte. */
  async resumeImport(jobId: string, spec: ImportSpec): Promise<ImportSession> {
    return new ImportSession(await callLater(() => this.#native.resumeImport(jobId, spec)))
  }

  /** Gives it up. */
  async forgetImport(jobId: string): Promise<void> {
    await callLater(() => this.#native.forgetImport(jobId))
  }

  /** The rows that an import did not take. */
  async rejects(jobId: string, form: 'lines' | 'rows'): Promise<RejectStream> {
    return new RejectStream(await callLater(() => this.#native.rejects(jobId, form)))
  }

  /** Starts reading all that a device namespace stores, to find damage; 0 bytes a second: no bound. */
  scrub(namespace: string, bytesPerSecond?: number): Promise<JobInfo> {
    return callLater(() => this.#native.scrub(namespace, bytesPerSecond))
  }

  /** Starts measuring what the devices of a namespace cost a scan: a few seconds. */
  calibrate(namespace: string): Promise<JobInfo> {
    return callLater(() => this.#native.calibrate(namespace))
  }

  /** Starts giving the room of half-empty pages of a paged namespace back. */
  compact(namespace: string): Promise<JobInfo> {
    return callLater(() => this.#native.compact(namespace))
  }

  /** Those that have not ended, newest first. */
  runningJobs(): JobInfo[] {
    return call(() => this.#native.runningJobs())
  }

  /** Newest first. */
  jobs(): JobInfo[] {
    return call(() => this.#native.jobs())
  }

  job(id: string): JobInfo {
    return call(() => this.#native.job(id))
  }

  /** Starts a scan or a count in the background: its job's result says what it met. */
  tally(namespace: string, spec: TallySpec): Promise<JobInfo> {
    return callLater(() => this.#native.tally(namespace, spec))
  }

  /** Notes who asked for a job; only the first note counts. */
  attributeJob(id: string, who: string): void {
    call(() => this.#native.attributeJob(id, who))
  }

  patchJob(id: string, patch: JobPatch): JobInfo {
    return call(() => this.#native.patchJob(id, patch))
  }

  abortJob(id: string): JobInfo {
    return call(() => this.#native.abortJob(id))
  }

  /** Resolves when the job has ended, or after `timeoutMs`. */
  waitJob(id: string, timeoutMs: number): Promise<JobInfo> {
    return callLater(() => this.#native.waitJob(id, timeoutMs))
  }

  /** Starts a run of the load generator from the JSON of its specification; resolves with the run as JSON. */
  startWorkload(spec: string): Promise<string> {
    return callLater(() => this.#native.startWorkload(spec))
  }

  /** Runs that are kept, newest first, as a JSON array. */
  workloads(): string {
    return call(() => this.#native.workloads())
  }

  /** A run with its seconds: `{run, frames}` as JSON. */
  workload(id: string): Promise<string> {
    return callLater(() => this.#native.workload(id))
  }

  /** Two to six runs against the first of them: `{runs, figures}` as JSON. */
  compareWorkloads(ids: string[]): Promise<string> {
    return callLater(() => this.#native.compareWorkloads(ids))
  }

  /** Aborts a run that goes on, or forgets one that has ended; resolves with the run as it was, as JSON. */
  removeWorkload(id: string): Promise<string> {
    return callLater(() => this.#native.removeWorkload(id))
  }

  /** Counts what the gateway measured: HTTP in to last byte. */
  recordLatency(namespace: string, op: Operation, nanos: number, ok: boolean): void {
    this.#latencies.add(namespace, OPERATIONS.indexOf(op), ok, nanos)
  }

  /** Calls back once a second with the newest frame; the result stops it. Frames alone do not keep the process alive. */
  onFrame(callback: (frame: MetricsFrame) => void): () => void {
    const number = call(() => this.#native.onFrame(callback))
    return () => call(() => this.#native.offFrame(number))
  }

  /** Steps of the last hour; longer ones are made by adding counts. */
  history(range: HistoryRange): Promise<MetricsFrame[]> {
    return callLater(() => this.#native.history(range))
  }
}
