// From the native module's shapes to the API's: times as RFC 3339, JSON texts as values.
import { saidIn } from '@tessera/native'
import type {
  DeviceReport as NativeDeviceReport,
  IndexInfo,
  JobInfo,
  DroppedInfo,
  DropReport as NativeDropReport,
  MetricsFrame as NativeFrame,
  NamespaceInfo,
  OrphanInfo,
  PageSizes as NativePageSizes,
  PagesReport as NativePagesReport,
  ScanPlan as NativeScanPlan,
  SlowGroup as NativeSlowGroup,
  SlowOperation as NativeSlowOperation,
  SlowSettings as NativeSlowSettings,
  StoreStatus,
  TruncationInfo,
} from '@tessera/native'
import type { DeviceReport } from '../schemas/namespaces/device.js'
import type { Index } from '../schemas/namespaces/indexes.js'
import type { Job } from '../schemas/jobs/jobs.js'
import type { MetricsFrame } from '../schemas/server/metrics.js'
import type { Namespace } from '../schemas/namespaces/namespaces.js'
import type { DropReport } from '../schemas/drop.js'
import type { Dropped } from '../schemas/namespaces/dropped.js'
import type { Orphan } from '../schemas/namespaces/orphans.js'
import type { PageSizes, PagesReport } from '../schemas/namespaces/paged.js'
import type { Truncation } from '../schemas/namespaces/truncations.js'
import type { ScanPlan } from '../schemas/records/plans.js'
import type { SlowGroup, SlowOperation, SlowSettings } from '../schemas/server/slow.js'
import type { EngineStatus } from '../schemas/server/status.js'
import type { Sentence } from '../sentences/sentence.js'

const time = (ms: number): string => new Date(ms).toISOString()

export function statusOf({ startedAtMs, history, jobHistory, slowLog, notices, ...status }: StoreStatus): EngineStatus {
  return {
    ...status,
    notices: notices.map(withSaid),
    startedAt: time(startedAtMs),
    history: historyStatusOf(history),
    jobHistory: historyStatusOf(jobHistory),
    slowLog: historyStatusOf(slowLog),
  }
}

const historyStatusOf = ({ failure, ...files }: StoreStatus['history']): EngineStatus['history'] => ({
  ...files,
  ...(failure !== undefined && { failure: { since: time(failure.sinceMs), message: failure.message } }),
})

export function namespaceOf({
  createdAtMs,
  lastWriteMs,
  losses,
  limits,
  stateSaid,
  ...info
}: NamespaceInfo): Namespace {
  return {
    ...info,
    ...(stateSaid !== undefined && { stateSaid: saidIn(stateSaid) }),
    ...(limits !== undefined && { limits: withSaid(limits) }),
    createdAt: time(createdAtMs),
    losses: losses.map(pastOf),
    ...(lastWriteMs !== undefined && { lastWriteAt: time(lastWriteMs) }),
  }
}

/** The core writes what a sentence was made of as JSON. */
export const withSaid = <T extends { said?: string }>({ said, ...rest }: T): Omit<T, 'said'> & { said?: Sentence } => ({
  ...rest,
  ...(said !== undefined && { said: saidIn(said) }),
})

export function orphanOf({ namespace, reasonSaid, ...rest }: OrphanInfo): Orphan {
  const info = { ...rest, ...(reasonSaid !== undefined && { reasonSaid: saidIn(reasonSaid) }) }
  if (namespace === undefined) return info
  const { createdAtMs, ...about } = namespace
  return { ...info, namespace: { ...about, createdAt: time(createdAtMs) } }
}

export const droppedOf = ({ droppedAtMs, untilMs, ...info }: DroppedInfo): Dropped => ({
  name: info.config.name,
  droppedAt: time(droppedAtMs),
  until: time(untilMs),
  ...info,
})

export const truncationOf = ({ beforeMs, truncatedAtMs, untilMs, ...info }: TruncationInfo): Truncation => ({
  ...info,
  before: time(beforeMs),
  truncatedAt: time(truncatedAtMs),
  until: time(untilMs),
})

export const dropReportOf = ({ dropped, untilMs, ...report }: NativeDropReport): DropReport => ({
  ...report,
  ...(dropped !== undefined && untilMs !== undefined && { restorable: { id: dropped, until: time(untilMs) } }),
})

export function deviceReportOf(namespace: string, { disks, flush, ...report }: NativeDeviceReport): DeviceReport {
  const { lastFailure, ...queue } = flush
  return {
    namespace,
    ...report,
    disks: disks.map(({ place, ...disk }) => ({ ...place, ...disk })),
    flush: { ...queue, ...(lastFailure !== undefined && { lastFailure: pastOf(lastFailure) }) },
  }
}

export function pagesReportOf(namespace: string, { checkpoints, ...report }: NativePagesReport): PagesReport {
  return {
    namespace,
    at: time(Date.now()),
    ...report,
    checkpoints: checkpoints.map(({ begunAtMs, ...checkpoint }) => ({ begunAt: time(begunAtMs), ...checkpoint })),
  }
}

export function pageSizesOf({ sinceMs, ...sample }: NativePageSizes): PageSizes {
  return { ...sample, since: time(sinceMs) }
}

function pastOf<T extends { atMs: number }>({ atMs, ...what }: T): Omit<T, 'atMs'> & { at: string } {
  return { ...what, at: time(atMs) }
}

/** The engine counts the uses of an index since this process began. */
const BEGAN_MS = Date.now()

export function indexOf({ createdAtMs, lastUsedMs, ...info }: IndexInfo): Index {
  return {
    ...info,
    ...(lastUsedMs !== undefined && { lastUsedAt: time(lastUsedMs) }),
    usesSince: time(Math.max(BEGAN_MS, createdAtMs)),
    createdAt: time(createdAtMs),
  }
}

export function scanPlanOf({ costs, ...plan }: NativeScanPlan): ScanPlan {
  if (costs === undefined) return plan
  const { measuredAtMs, ...constants } = costs
  return { ...plan, costs: { ...constants, ...(measuredAtMs !== undefined && { measuredAt: time(measuredAtMs) }) } }
}

export function jobOf({
  createdAtMs,
  startedAtMs,
  endedAtMs,
  parameters,
  result,
  error,
  damage,
  ...info
}: JobInfo): Job {
  const { undoUntil, ...given } = JSON.parse(parameters) as Job['parameters']
  return {
    ...info,
    // A truncation says until when it can be undone.
    parameters: { ...given, ...(typeof undoUntil === 'number' && { undoUntil: time(undoUntil) }) },
    ...(error !== undefined && { error: withSaid(error) }),
    ...(damage !== undefined && { damage: damage.map(withSaid) }),
    createdAt: time(createdAtMs),
    ...(startedAtMs !== undefined && { startedAt: time(startedAtMs) }),
    ...(endedAtMs !== undefined && { endedAt: time(endedAtMs) }),
    ...(result !== undefined && { result: JSON.parse(result) as NonNullable<Job['result']> }),
  }
}

export function slowOperationOf({ startedAtMs, ...operation }: NativeSlowOperation): SlowOperation {
  return { ...operation, startedAt: time(startedAtMs) }
}

export const slowSettingsOf = ({ namespaces, ...settings }: NativeSlowSettings): SlowSettings => ({
  ...settings,
  namespaces: Object.fromEntries(namespaces.map(({ namespace, thresholdMs }) => [namespace, thresholdMs])),
})

export function slowGroupOf({ firstAtMs, lastAtMs, ...group }: NativeSlowGroup): SlowGroup {
  return { ...group, firstAt: time(firstAtMs), lastAt: time(lastAtMs) }
}

export function frameOf({ timeMs, marks, ...frame }: NativeFrame): MetricsFrame {
  return {
    ...frame,
    time: time(timeMs),
    marks: marks.map(({ timeMs: at, ...mark }) => ({ ...mark, time: time(at) })),
  }
}
