// The store: the methods of the addon with failures thrown. Here stand only those that cross in another shape.
import {
  attachStore as attachNative,
  listeningAgain as againNative,
  listeningSocket as listeningNative,
  listenTogether as listenNative,
  openStore as openNative,
  operations,
  planCapacity as planNative,
  stopListening as stopNative,
  tallyOf as tallyNative,
  type DropReport,
  type ImportSpec,
  type JobInfo,
  type LatencySeries,
  type MemoryLimits,
  type MetricsFrame,
  type NativeStore,
} from '#addon'
import { importSession, type ImportSession } from './import-session.js'
import { LatencyBatch } from './latency-batch.js'
import { Records } from './records.js'
import { throwing, throwingCall } from './throwing.js'

export interface StoreOptions {
  /** Made if it is not there. One process at a time holds it. */
  dataDirectory: string
  /** How reads and writes of devices are kept in flight; `auto` by default: io_uring where the kernel allows it. */
  io?: 'auto' | 'io_uring' | 'threads'
  /** Folders below which new namespaces may have files, and block devices; none unless given. */
  devicePaths?: string[]
  /** How much memory it may use; what is absent is a share of what the process may use. */
  memory?: MemoryLimits
  /** The file that describes clusters; none unless given. */
  clustersFile?: string
  /** How long drops and truncations can be undone, ms; 0 by default: they are for good. */
  undoMs?: number
}

/** What latency is kept of. */
export type Operation = LatencySeries['op']

const OPERATIONS = operations() as readonly Operation[]

const open = throwingCall(async ({ dataDirectory, io, devicePaths, memory, clustersFile, undoMs }: StoreOptions) =>
  openNative(dataDirectory, io, devicePaths, memory, clustersFile, undoMs),
)

/** Opens a data directory. Namespaces on devices may still recover: until they are back their calls fail with `starting`. */
export async function openStore(options: StoreOptions): Promise<Store> {
  return storeOn(await open(options))
}

/** The store that another thread of this process has shared. Only the thread that opened it closes it. */
export const attachStore = (handle: number): Store => storeOn(attach(handle))

const attach = throwingCall(attachNative)

/** Opens sockets at an address, for the threads that share a store: the kernel spreads connections over them. */
export const listenTogether = throwingCall(listenNative)

/** A descriptor of one of these sockets; who asks closes it. */
export const listeningSocket = throwingCall(listeningNative)

/** Another descriptor of a socket that listens, whoever opened it; who asks closes it. */
export const listeningAgain = throwingCall(againNative)

export const stopListening = throwingCall(stopNative)

/** Counts by name that the threads of a shared store have in common. */
export const tallyOf = throwingCall(tallyNative)

/** What a namespace would take; no store is needed. */
export const planCapacity = throwingCall(planNative)

export type Store = ReturnType<typeof storeOn>

function storeOn(native: NativeStore) {
  const { readRecord: _read, recordLatencies: _record, offFrame, ...store } = throwing(native)
  const latencies = new LatencyBatch(native)
  return {
    ...store,
    ...throwing(new Records(native)),

    previewTruncate: (namespace: string, set?: string, forGood?: boolean) =>
      store.truncate(namespace, set, true, undefined, forGood) as Promise<DropReport>,
    truncate: (namespace: string, set?: string, before?: number, forGood?: boolean) =>
      store.truncate(namespace, set, false, before, forGood) as Promise<JobInfo>,

    beginImport: async (namespace: string, spec: ImportSpec, query?: string): Promise<ImportSession> =>
      importSession(await store.beginImport(namespace, spec, query)),
    resumeImport: async (jobId: string, spec: ImportSpec): Promise<ImportSession> =>
      importSession(await store.resumeImport(jobId, spec)),

    /** Counts what the gateway measured: HTTP in to last byte. */
    recordLatency: (namespace: string, op: Operation, nanos: number, ok: boolean): void =>
      latencies.add(namespace, OPERATIONS.indexOf(op), ok, nanos),
    /** Calls back once a second with the newest frame; the result stops it. Frames alone do not keep the process alive. */
    onFrame: (callback: (frame: MetricsFrame) => void): (() => void) => {
      const number = store.onFrame(callback)
      return () => offFrame(number)
    },
  }
}
