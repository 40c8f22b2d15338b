// What the rules look at: a frame each second, and facts that frames do not have, read every few seconds.
import type { Ids } from '../auth/former.js'
import type { FrameListener } from '../live/hub.js'
import type { GatewayUse } from '../schemas/server/gateway.js'
import type { Clock } from './clock.js'
import type { LatencySeries, MetricsFrame, Operation } from '../schemas/server/metrics.js'

/** Facts about a namespace; an unset one has no data. */
export interface NamespaceFacts {
  name: string
  failed: boolean
  writesStopped: boolean | undefined
  /** Used share of its capacity; unset without a capacity. */
  usedPercent: number | undefined
}

export interface Facts {
  namespaces: NamespaceFacts[]
  diskFreeBytes: number
  diskTotalBytes: number
  dataDirectoryFailed: boolean
  historyFailed: boolean
  /** Used share of the memory that memory namespaces share. */
  memorySharePercent: number
  requestMemoryPercent: number
}

export interface PastQuery {
  fromMs: number
  toMs: number
  stepSeconds: number
  /** unset: all */
  namespace?: string
  op?: Operation
}

/** `stepMs`: how long a step is, at least as long as asked for. One with a gap lasts shorter. */
export type Past = (query: PastQuery, each: (frame: MetricsFrame, stepMs: number) => void) => Promise<void>

export interface AlertSource {
  /** Names of all namespaces, returned at once. */
  names: () => readonly string[]
  /** Who has which name. The history is kept by name, and may have an older one. */
  ids: Ids
  facts: () => Promise<Facts>
  gateway: () => GatewayUse
  /** Gives each frame of the past to `each`: all of them together can be larger than memory. */
  past: Past
  listen: (listener: FrameListener) => () => void
}

/** One second, arranged so that each rule finds its part at once. */
export interface View {
  readonly atMs: number
  /** How far the wall clock is ahead of the steady one. */
  readonly aheadMs: number
  readonly frame: MetricsFrame
  readonly names: readonly string[]
  readonly ids: Ids
  /** Unset if they could not be read lately. */
  readonly facts: Facts | undefined
  readonly gateway: GatewayUse
  readonly series: ReadonlyMap<string, readonly LatencySeries[]>
}

export function viewOf(frame: MetricsFrame, source: AlertSource, facts: Facts | undefined, clock: Clock): View {
  return {
    atMs: Date.parse(frame.time),
    aheadMs: clock.now() - clock.steady(),
    frame,
    names: source.names(),
    ids: source.ids,
    facts,
    gateway: source.gateway(),
    series: seriesOf(frame),
  }
}

/** The series of a frame by their namespaces. */
export function seriesOf({ latency }: MetricsFrame): Map<string, LatencySeries[]> {
  const series = new Map<string, LatencySeries[]>()
  for (const one of latency) {
    const own = series.get(one.namespace)
    if (own === undefined) series.set(one.namespace, [one])
    else own.push(one)
  }
  return series
}
