// The engine as a caller has it who lacks the role of an operation for the whole server. Each method says how it is limited,
// so a new one is refused to such callers until somebody says more.
import { backupNotFound, indexNotFound, jobNotFound, type Reach, workloadNotFound } from '../../auth/reach.js'
import { toFailure } from '../../errors.js'
import type { ErrorCode } from '../../error-table.js'
import type { Index } from '../../schemas/namespaces/indexes.js'
import type { Workload } from '../../schemas/jobs/workloads.js'
import type { Engine, KeyInput } from '../engine.js'
import { historyWithin, pageWithin, slowWithin, statusWithin } from './lists.js'
import { readWithin } from './reads.js'

type Name = { [N in keyof Engine]: Engine[N] extends (...args: never[]) => unknown ? N : never }[keyof Engine]
type Arguments<N extends Name> = Parameters<Engine[N]>
type Result<N extends Name> = ReturnType<Engine[N]>
type Rule<N extends Name> = (engine: Engine, reach: Reach, ...args: Arguments<N>) => Result<N>

function call<N extends Name>(engine: Engine, name: N, args: Arguments<N>): Result<N> {
  return (engine[name] as (...args: Arguments<N>) => Result<N>)(...args)
}

/** What is the same for all. */
const free =
  <N extends Name>(name: N): Rule<N> =>
  (engine, _reach, ...args) =>
    call(engine, name, args)

/** What is about the whole server. */
const refused =
  <N extends Name>(_name: N): Rule<N> =>
  (_engine, reach, ..._args) =>
    reach.needServer()

/** The first argument is a namespace. */
const whole =
  <N extends Name>(name: N): Rule<N> =>
  (engine, reach, ...args) => {
    reach.need(args[0] as string)
    return call(engine, name, args)
  }

/** The first two are a namespace and a set. */
const ofSet =
  <N extends Name>(name: N): Rule<N> =>
  (engine, reach, ...args) => {
    reach.needSet(args[0] as string, args[1] as string | undefined)
    return call(engine, name, args)
  }

/** The third is a key. A digest says nothing about the set that it is of. */
const ofRecord =
  <N extends Name>(name: N): Rule<N> =>
  (engine, reach, ...args) => {
    reach.needSet(args[0] as string, args[1] as string)
    if ((args[2] as KeyInput).type === 'digest') reach.need(args[0] as string)
    return call(engine, name, args)
  }

const ofJob =
  <N extends Name>(name: N): Rule<N> =>
  (engine, reach, ...args) => {
    needJob(engine, reach, args[0] as string)
    return call(engine, name, args)
  }

const ofRun =
  <N extends 'workload' | 'workloadLatency' | 'removeWorkload'>(name: N) =>
  async (engine: Engine, reach: Reach, id: string): Promise<Awaited<Result<N>>> => {
    await needRuns(engine, reach, [id])
    return (await call(engine, name, [id] as Arguments<N>)) as Awaited<Result<N>>
  }

const rules: { readonly [N in Name]: Rule<N> } = {
  close: refused('close'),
  callOffJobs: refused('callOffJobs'),
  settled: refused('settled'),
  room: free('room'),
  status: statusWithin,

  createNamespace: refused('createNamespace'),
  updateNamespace: whole('updateNamespace'),
  reopenNamespace: whole('reopenNamespace'),
  dropNamespace: whole('dropNamespace'),
  dropped: refused('dropped'),
  droppedOne: refused('droppedOne'),
  restoreDropped: refused('restoreDropped'),
  removeDropped: refused('removeDropped'),
  migrate: refused('migrate'),
  migration: whole('migration'),
  resumeMigration: whole('resumeMigration'),
  swapStores: whole('swapStores'),
  endMigration: whole('endMigration'),
  startBackup: async (engine, reach, namespace, request) => {
    reach.need(namespace)
    if (request.base !== undefined && !(await isBackupOf(engine, namespace, request.base, request.target)))
      throw backupNotFound(request.base)
    return engine.startBackup(namespace, request)
  },
  backups: refused('backups'),
  backup: refused('backup'),
  resumeBackup: refused('resumeBackup'),
  verifyBackup: refused('verifyBackup'),
  restoreBackup: refused('restoreBackup'),
  removeBackup: refused('removeBackup'),
  orphans: refused('orphans'),
  adoptOrphan: refused('adoptOrphan'),
  removeOrphan: refused('removeOrphan'),
  namespaces: async (engine, reach) => (await engine.namespaces()).filter(({ name }) => reach.in(name)),
  namespaceNames: (engine, reach) => engine.namespaceNames().filter((name) => reach.in(name)),
  tenureOf: free('tenureOf'),
  firstNamespaceId: free('firstNamespaceId'),
  namespace: whole('namespace'),
  segments: whole('segments'),
  deviceReport: whole('deviceReport'),
  pagesReport: whole('pagesReport'),
  clusters: refused('clusters'),
  clusterView: whole('clusterView'),
  pageMap: whole('pageMap'),
  pageSizes: whole('pageSizes'),
  size: ofSet('size'),

  sets: async (engine, reach, namespace) => {
    reach.needInside(namespace)
    return (await engine.sets(namespace)).filter(({ name }) => reach.inSet(namespace, name))
  },
  setPage: (engine, reach, namespace, query) => {
    reach.needInside(namespace)
    return engine.setPage(namespace, reach.in(namespace) ? query : { ...query, within: reach.setPrefixes(namespace) })
  },
  set: ofSet('set'),
  createSet: whole('createSet'),
  limitSet: whole('limitSet'),
  switchSetIndex: whole('switchSetIndex'),
  previewTruncate: whole('previewTruncate'),
  truncate: whole('truncate'),
  truncations: whole('truncations'),
  undoTruncation: whole('undoTruncation'),
  settleTruncation: whole('settleTruncation'),
  planCapacity: free('planCapacity'),

  createIndex: whole('createIndex'),
  indexes: indexesWithin,
  index: async (engine, reach, namespace, name) => {
    if (reach.in(namespace)) return engine.index(namespace, name)
    const found = (await indexesWithin(engine, reach, namespace)).find((index) => index.name === name)
    if (found === undefined) throw indexNotFound(name)
    return found
  },
  dropIndex: whole('dropIndex'),

  getRecord: ofRecord('getRecord'),
  putRecord: ofRecord('putRecord'),
  getPlain: ofSet('getPlain'),
  putPlain: ofSet('putPlain'),
  deleteRecord: ofRecord('deleteRecord'),
  operateRecord: ofRecord('operateRecord'),
  writeRecords: ofSet('writeRecords'),
  readRecords: ofSet('readRecords'),

  scan: (engine, reach, ns, spec) => readWithin(reach, ns, spec, (limited) => engine.scan(ns, limited)),
  explainScan: whole('explainScan'),
  query: (engine, reach, ns, spec) => readWithin(reach, ns, spec, (limited) => engine.query(ns, limited)),
  explainQuery: whole('explainQuery'),
  analyzeQuery: whole('analyzeQuery'),
  stream: (engine, reach, ns, spec) => readWithin(reach, ns, spec, (limited) => engine.stream(ns, limited)),
  explainStream: whole('explainStream'),
  tally: whole('tally'),
  scrub: whole('scrub'),
  calibrate: whole('calibrate'),
  compact: whole('compact'),
  export: (engine, reach, ns, spec) => readWithin(reach, ns, spec, (limited) => engine.export(ns, limited)),
  beginImport: (engine, reach, namespace, spec) => {
    // Its rows name sets of their own.
    if (spec.keepSets === true) reach.need(namespace)
    reach.needSet(namespace, spec.set)
    return engine.beginImport(namespace, spec)
  },
  interruptedImport: ofJob('interruptedImport'),
  resumeImport: ofJob('resumeImport'),
  forgetImport: ofJob('forgetImport'),
  rejects: ofJob('rejects'),
  sampleEvents: free('sampleEvents'),

  runningJobs: (engine, reach) => engine.runningJobs().filter((job) => reach.job(job)),
  jobs: (engine, reach, query = {}) =>
    pageWithin(
      query,
      (piece) => engine.jobs(piece),
      (job) => reach.job(job),
    ),
  job: ofJob('job'),
  attributeJob: ofJob('attributeJob'),
  patchJob: ofJob('patchJob'),
  abortJob: ofJob('abortJob'),
  waitJob: ofJob('waitJob'),

  startWorkload: (engine, reach, spec) => {
    reach.need(spec.namespace)
    return engine.startWorkload(spec)
  },
  workloads: (engine, reach, query = {}) =>
    pageWithin(
      query,
      (piece) => engine.workloads(piece),
      (run) => seesRun(reach, run),
    ),
  workload: ofRun('workload'),
  workloadLatency: ofRun('workloadLatency'),
  compareWorkloads: async (engine, reach, ids) => {
    await needRuns(engine, reach, ids)
    return engine.compareWorkloads(ids)
  },
  removeWorkload: ofRun('removeWorkload'),

  recordLatency: whole('recordLatency'),
  onFrame: refused('onFrame'),
  history: async (engine, reach, query) => historyWithin(engine, reach, await engine.history(query)),
  slowOperations: (engine, reach, query) =>
    slowWithin(
      engine,
      reach,
      query,
      (part) => engine.slowOperations(part),
      (a, b) => (query.sort === 'newest' ? b.id - a.id : b.durationMs - a.durationMs),
    ),
  slowGroups: (engine, reach, query) =>
    slowWithin(
      engine,
      reach,
      query,
      (part) => engine.slowGroups(part),
      (a, b) => (query.sort === 'newest' ? Date.parse(b.lastAt) - Date.parse(a.lastAt) : b.totalMs - a.totalMs),
    ),
  slowSettings: refused('slowSettings'),
  changeSlowSettings: refused('changeSlowSettings'),
  clearSlowOperations: refused('clearSlowOperations'),
}

/** Of those of other namespaces nothing is told, not even that they are there. */
async function isBackupOf(engine: Engine, namespace: string, id: string, target?: string): Promise<boolean> {
  try {
    return (await engine.backup(id, target)).namespaceId === engine.tenureOf(namespace).id
  } catch (error) {
    if (toFailure(error).code === 'backup_not_found') return false
    throw error
  }
}

async function indexesWithin(engine: Engine, reach: Reach, namespace: string): Promise<Index[]> {
  reach.needInside(namespace)
  return (await engine.indexes(namespace)).filter(({ set }) => reach.inSet(namespace, set))
}

/** @throws `job_not_found` for those that the caller does not see too, `role_required` */
function needJob(engine: Engine, reach: Reach, id: string): void {
  const job = orMissing(() => engine.job(id), 'job_not_found')
  if (job === undefined || !reach.job(job)) throw jobNotFound(id)
}

/** @throws `workload_not_found` for those that the caller does not see too */
async function needRuns(engine: Engine, reach: Reach, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const run = await engine.workload(id).catch((error: unknown) => orMissing(() => raise(error), 'workload_not_found'))
    if (run === undefined || !seesRun(reach, run)) throw workloadNotFound(id)
  }
}

const seesRun = (reach: Reach, { spec, former }: Pick<Workload, 'spec' | 'former'>): boolean =>
  reach.sees({ namespace: spec.namespace, ...(former && { former }) })

function raise(error: unknown): never {
  throw error
}

function orMissing<T>(read: () => T, code: ErrorCode): T | undefined {
  try {
    return read()
  } catch (error) {
    if (toFailure(error).code === code) return undefined
    throw error
  }
}

class Limited {
  readonly kind: string
  readonly engine: Engine
  readonly reach: Reach

  constructor(engine: Engine, reach: Reach) {
    this.kind = engine.kind
    this.engine = engine
    this.reach = reach
  }
}

for (const [name, rule] of Object.entries(rules) as [Name, (...args: unknown[]) => unknown][]) {
  Object.defineProperty(Limited.prototype, name, {
    value(this: Limited, ...args: unknown[]) {
      return rule(this.engine, this.reach, ...args)
    },
  })
}

export const limited = (engine: Engine, reach: Reach): Engine => new Limited(engine, reach) as unknown as Engine
