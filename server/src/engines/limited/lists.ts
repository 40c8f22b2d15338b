// What all namespaces have together, for a caller who sees only some: the parts of those, and sums of these parts.
import type { Reach } from '../../auth/reach.js'
import type { MemoryBytes } from '../../schemas/server/memory.js'
import type { MetricsFrame } from '../../schemas/server/metrics.js'
import type { EngineStatus } from '../../schemas/server/status.js'
import type { Ids } from '../../auth/former.js'
import type { Engine, HistoryStream, JobList, JobQuery, SlowRange } from '../engine.js'

/** Items read at a time out of a list that is filtered. */
const PIECE = 500

/** A page of those items that the caller sees. */
export async function pageWithin<T extends { id: string }>(
  query: JobQuery,
  read: (query: JobQuery) => Promise<JobList<T>>,
  sees: (item: T) => boolean,
): Promise<JobList<T>> {
  const { limit = PIECE } = query
  const items: T[] = []
  for (let after = query.after; ;) {
    const piece = await read({ ...query, limit: PIECE, ...(after !== undefined && { after }) })
    items.push(...piece.items.filter(sees))
    if (items.length > limit) return { items: items.slice(0, limit), more: true }
    after = piece.items.at(-1)?.id
    if (!piece.more || after === undefined) return { items, more: false }
  }
}

/** What the engine answers for each namespace that the query is about and the caller sees, as one list. */
export async function slowWithin<T>(
  engine: Engine,
  reach: Reach,
  query: SlowRange,
  read: (query: SlowRange) => Promise<{ items: T[]; truncated: boolean }>,
  order: (a: T, b: T) => number,
): Promise<{ items: T[]; truncated: boolean }> {
  const names = (query.namespace === undefined ? engine.namespaceNames() : [query.namespace]).filter((name) =>
    reach.in(name),
  )
  const lists = await Promise.all(
    names.map((namespace) => read({ ...query, namespace, namespaceId: engine.tenureOf(namespace).id })),
  )
  const all = lists.flatMap(({ items }) => items).toSorted(order)
  return {
    items: all.slice(0, query.limit),
    truncated: all.length > query.limit || lists.some(({ truncated }) => truncated),
  }
}

/** Names, counts and sizes are those of the namespaces that the caller sees. The machine and the process are the same. */
export async function statusWithin(engine: Engine, reach: Reach): Promise<EngineStatus> {
  const [status, all] = await Promise.all([engine.status(), engine.namespaces()])
  const namespaces = all.filter(({ name }) => reach.in(name))
  const notices = status.notices.filter(({ namespace }) => reach.in(namespace))
  const { dataDirectoryFailure: failure } = status
  const reasons = status.reasons.filter(
    (reason) => reason === failure?.message || namespaces.some(({ name }) => reason.startsWith(`${name}: `)),
  )
  const progress = status.progress.filter(({ namespace }) => reach.in(namespace))
  const memory = sumOf(namespaces.map((namespace) => namespace.memory))
  return {
    ...status,
    healthy: reasons.length === 0,
    reasons,
    notices,
    progress,
    recovering: progress.length > 0,
    orphans: [],
    namespaces: namespaces.length,
    records: namespaces.reduce((sum, { records = 0 }) => sum + records, 0),
    runningJobs: engine.runningJobs().filter((job) => reach.job(job)).length,
    memory,
    memoryShare: { ...status.memoryShare, usedBytes: memory.total },
    history: withoutFiles(status.history),
    jobHistory: withoutFiles(status.jobHistory),
    slowLog: withoutFiles(status.slowLog),
  }
}

/** Names of files, and why they are not read, may name namespaces. */
const withoutFiles = ({ bytes, mostBytes, damaged }: EngineStatus['history']): EngineStatus['history'] => ({
  bytes,
  mostBytes,
  damaged,
  unreadable: [],
})

const NO_MEMORY: MemoryBytes = {
  primaryIndex: 0,
  setIndexes: 0,
  documentIndexes: 0,
  records: 0,
  buffers: 0,
  directory: 0,
  total: 0,
}

function sumOf(parts: readonly MemoryBytes[]): MemoryBytes {
  const sum = { ...NO_MEMORY }
  for (const part of parts) for (const name of Object.keys(sum) as (keyof MemoryBytes)[]) sum[name] += part[name]
  return sum
}

/**
 * A mark without a namespace may name anything. Memory and disks of all namespaces together tell of the others. What another namespace did
 * under the same name is left out: the frame began before this one had it.
 */
export function frameWithin(reach: Reach, frame: MetricsFrame, ids?: Ids): MetricsFrame {
  const { memory: _memory, device: _device, latency, devices, sizes, marks, ...rest } = frame
  const beganMs = Date.parse(frame.time) - frame.durationMs
  const since = (namespace: string): number => ids?.tenureOf(namespace).sinceMs ?? 0
  const within = <T extends { namespace: string }>(parts: T[]): T[] =>
    parts.filter(({ namespace }) => reach.in(namespace) && beganMs >= since(namespace))
  const seen = marks.filter(
    ({ namespace, time }) => namespace !== undefined && reach.in(namespace) && Date.parse(time) >= since(namespace),
  )
  return { ...rest, latency: within(latency), devices: within(devices), sizes: within(sizes), marks: seen }
}

export function historyWithin(ids: Ids, reach: Reach, { stepSeconds, next, close }: HistoryStream): HistoryStream {
  const line = (text: string) => `${JSON.stringify(frameWithin(reach, JSON.parse(text) as MetricsFrame, ids))}\n`
  return {
    stepSeconds,
    close,
    next: async () => {
      const chunk = await next()
      const lines = chunk
        ?.toString()
        .split('\n')
        .filter((text) => text !== '')
      return lines === undefined ? null : Buffer.from(lines.map(line).join(''))
    },
  }
}
