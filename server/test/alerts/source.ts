// Frames, facts and a clock that a test sets, in place of an engine.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { Alerts, type AlertOptions } from '../../src/alerts/alerts.js'
import type { Clock } from '../../src/alerts/clock.js'
import type { Ids } from '../../src/auth/former.js'
import type { AlertSource, Facts, Past, PastQuery } from '../../src/alerts/source.js'
import { type LatencySeries, type MetricsFrame, sloEdgesNs } from '../../src/schemas/server/metrics.js'

export const START = Date.parse('2026-11-26T12:00:00.000Z')

export class ManualClock implements Clock {
  #now = START
  #steady = 0
  #timers: { at: number; work: () => void }[] = []

  readonly now = (): number => this.#now
  readonly steady = (): number => this.#steady

  readonly after = (ms: number, work: () => void): (() => void) => {
    const timer = { at: this.#now + ms, work }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer)
    }
  }

  /** How long until the next timer; undefined: there is none. */
  get next(): number | undefined {
    const times = this.#timers.map(({ at }) => at - this.#now)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** Sets another time. */
  jump(ms: number): void {
    this.#now += ms
  }

  pass(ms: number): void {
    this.#now += ms
    this.#steady += ms
    const due = this.#timers.filter(({ at }) => at <= this.#now)
    this.#timers = this.#timers.filter((timer) => !due.includes(timer))
    for (const { work } of due) work()
  }
}

/** `count` operations that took `ns` each. */
export function series(namespace: string, count: number, ns: number, more: Partial<LatencySeries> = {}): LatencySeries {
  const octave = Math.floor(Math.log2(ns / 128))
  const bucket = octave * 16 + Math.floor((ns / (128 * 2 ** octave) - 1) * 16)
  return {
    namespace,
    op: 'get',
    outcome: 'ok',
    side: 'engine',
    count,
    sumNs: count * ns,
    sumSquaresNs: count * ns * ns,
    maxNs: ns,
    overflow: 0,
    slo: sloEdgesNs.map((edge) => (ns <= edge ? count : 0)),
    buckets: [bucket, count],
    ...more,
  }
}

export function frameAt(atMs: number, latency: LatencySeries[], more: Partial<MetricsFrame> = {}): MetricsFrame {
  return {
    seq: 1,
    time: new Date(atMs).toISOString(),
    durationMs: 1000,
    latency,
    process: { cpuPercent: 10, residentBytes: 1 },
    memory: {
      primaryIndex: 0,
      setIndexes: 0,
      documentIndexes: 0,
      records: 0,
      buffers: 0,
      directory: 0,
      total: 0,
    },
    device: {
      readBytesPerSecond: 0,
      writeBytesPerSecond: 0,
      readsPerSecond: 0,
      writesPerSecond: 0,
      syncsPerSecond: 0,
    },
    devices: [],
    sizes: [],
    marks: [],
    ...more,
  }
}

export const wellFacts: Facts = {
  namespaces: [],
  diskFreeBytes: 900,
  diskTotalBytes: 1000,
  dataDirectoryFailed: false,
  historyFailed: false,
  memorySharePercent: 1,
  requestMemoryPercent: 1,
}

export class FakeSource implements AlertSource {
  namespaces = ['shop']
  factsNow: Facts = wellFacts
  createdAt = new Map<string, number>()
  /** Frames of the past. */
  history: MetricsFrame[] = []
  readonly asked: PastQuery[] = []

  readonly names = (): readonly string[] => this.namespaces
  readonly ids: Ids = {
    tenureOf: (name) => ({
      id: this.namespaces.includes(name) ? `${name}'s` : '',
      sinceMs: this.createdAt.get(name) ?? 0,
    }),
    firstNamespaceId: (name) => `${name}'s`,
  }
  readonly facts = (): Promise<Facts> => Promise.resolve(this.factsNow)
  readonly gateway: AlertSource['gateway'] = () => ({
    loopDelay: { p50Ms: 0, p99Ms: 0, maxMs: 0 },
    refusedShare: 0,
    refusedRequests: 0,
    limitedRequests: 0,
    connections: { open: 3, closed: 0, refused: 0 },
    streams: { open: 0, heldBytes: 0, refused: 0, stalled: 0 },
    unread: { answers: 0, heldBytes: 0, refused: 0, closed: 0 },
    live: { clients: 0, skippedFrames: 0 },
    droppedLogLines: 0,
  })
  readonly past: Past = (query, each) => {
    this.asked.push(query)
    const wanted = ({ time }: MetricsFrame) => Date.parse(time) > query.fromMs && Date.parse(time) <= query.toMs
    const stepMs = query.stepSeconds * 1000
    for (const frame of stepsOf(this.history.filter(wanted), stepMs)) each(frame, stepMs)
    return Promise.resolve()
  }
  readonly listen = (): (() => void) => () => undefined
}

/** Frames of a slot are one step, as in the engine: seconds stay as they are. */
function stepsOf(frames: readonly MetricsFrame[], stepMs: number): readonly MetricsFrame[] {
  if (stepMs <= 1000) return frames
  const steps = new Map<number, MetricsFrame>()
  for (const frame of frames) {
    const slot = Math.floor((Date.parse(frame.time) - 500) / stepMs)
    const before = steps.get(slot) ?? { ...frame, durationMs: 0, latency: [] }
    const latency = [...before.latency, ...frame.latency]
    steps.set(slot, { ...frame, durationMs: before.durationMs + frame.durationMs, latency })
  }
  return [...steps.values()]
}

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-alerts-'))
  folders.push(folder)
  return folder
}

/** Alerts without the rules of a new server, a second at a time. */
export class Bench {
  readonly clock = new ManualClock()
  readonly source = new FakeSource()
  readonly folder = newFolder()
  readonly warnings: string[] = []
  alerts: Alerts

  constructor(options: Partial<AlertOptions> = {}) {
    this.alerts = this.#open(options)
  }

  async start(): Promise<this> {
    await this.alerts.start(this.source)
    for (const { id } of this.alerts.rules.list()) await this.alerts.rules.remove(id, () => undefined)
    return this
  }

  /** Stops the alerts and starts others on the same files. */
  async restart(options: Partial<AlertOptions> = {}): Promise<void> {
    await this.alerts.settled()
    await this.alerts.close()
    this.alerts = this.#open(options)
    await this.alerts.start(this.source)
  }

  /** Lets `seconds` pass, each with this frame. */
  run(seconds: number, latency: LatencySeries[] | undefined, more: Partial<MetricsFrame> = {}): void {
    for (let second = 0; second < seconds; second += 1) {
      this.clock.pass(1000)
      if (latency !== undefined) this.alerts.evaluate(frameAt(this.clock.now(), latency, more))
    }
  }

  /** The id of the first rule. */
  get ruleId(): string {
    return this.alerts.rules.list()[0]?.id ?? ''
  }

  /** The states of the alerts, in order. */
  states(): string[] {
    return this.alerts.list().map(({ state }) => state)
  }

  /** What happened, oldest first. */
  kinds(): string[] {
    return this.alerts
      .events()
      .map(({ kind }) => kind)
      .toReversed()
  }

  #open(options: Partial<AlertOptions>): Alerts {
    return new Alerts({
      dataDirectory: this.folder,
      clock: this.clock,
      allowPrivate: true,
      warn: (_error, message) => this.warnings.push(message),
      ...options,
    })
  }
}
