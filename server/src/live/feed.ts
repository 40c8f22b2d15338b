// Live clients. Each second, a frame is encoded once for all clients that want the same topics, and
// sent to those that read the last one.
import type { ServerResponse } from 'node:http'
import type { Sees } from '../alerts/alerts.js'
import { type Reach, seesOf } from '../auth/reach.js'
import type { ErrorCode } from '../error-table.js'
import { frameWithin } from '../engines/limited/lists.js'
import type { AlertHealth } from '../schemas/alerts/health.js'
import type { Job } from '../schemas/jobs/jobs.js'
import type { GatewayUse } from '../schemas/server/gateway.js'
import { type LiveFrame, type LiveTopic, liveTopics, type MetricsFrame } from '../schemas/server/metrics.js'
import type { LiveHub } from './hub.js'
import { KernelQueue } from './kernel-queue.js'

/** Most clients. */
export const CLIENTS_MAX = 200
/** With so many, places may become scarce, and it is worth to ask the operating system who reads. */
const SCARCE = CLIENTS_MAX / 2
/** A client with this many unread bytes gets no further frame. */
const UNREAD_MAX_BYTES = 16 * 1024
const HEARTBEAT_MS = 15_000
/** The last event: why there are no more. */
const endOf = (code: ErrorCode, message: string): Buffer =>
  Buffer.from(`event: end\ndata: ${JSON.stringify({ code, message })}\n\n`)
const CLOSED = endOf('closed', 'the server is closing')
const SIGNED_OUT = endOf('auth_required', 'the session or the token has ended, or has other grants')
const HEARTBEAT = Buffer.from(': still here\n\n')
/** Frames come once per second. */
const FRAME_MS = 1000

/** The parts of a frame that a client wants. */
export interface Selection {
  topics: ReadonlySet<LiveTopic>
  namespace: string | undefined
  /** How far those who want it reach; unset: everywhere. */
  reach: Reach | undefined
}

/** Parts that frames do not have. They are read once per frame, and only if a client wants them. */
export interface Beside {
  jobs: () => Job[]
  gateway: () => GatewayUse
  health: (sees?: Sees) => AlertHealth
}

interface Client {
  readonly response: ServerResponse
  /** Whether the session that opened it has ended. */
  readonly ended: () => boolean
  /** Frames skipped in a row. */
  skipped: number
  /** Since when the operating system holds more for it than it may leave unread. */
  heldSinceMs?: number | undefined
}

interface Group extends Selection {
  readonly clients: Set<Client>
  /** The newest frame, encoded. */
  sent?: { frame: MetricsFrame; event: Buffer }
}

export class LiveFeed {
  readonly #hub: LiveHub
  readonly #beside: Beside
  readonly #patienceMs: number
  readonly #skippedMax: number
  readonly #groups = new Map<string, Group>()
  readonly #heartbeat: NodeJS.Timeout
  readonly #unlisten: () => void
  /** Encodings of the newest frame, so that a client that joins between two frames needs no new one. */
  #parts: { frame: MetricsFrame; beside: Beside } | undefined
  #skipped = 0

  /** `patienceMs`: how long a client may leave frames unread; 0: forever. */
  constructor(hub: LiveHub, beside: Beside, patienceMs: number) {
    this.#hub = hub
    this.#beside = beside
    this.#patienceMs = patienceMs === 0 ? Infinity : patienceMs
    this.#skippedMax = patienceMs === 0 ? Infinity : Math.ceil(patienceMs / FRAME_MS)
    this.#unlisten = hub.listen((frame) => this.#publish(frame))
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref()
  }

  get size(): number {
    let size = 0
    for (const { clients } of this.#groups.values()) size += clients.size
    return size
  }

  /** Frames skipped because clients had not read earlier ones. */
  get skipped(): number {
    return this.#skipped
  }

  /** Sends frames until the response ends. */
  join(response: ServerResponse, selection: Selection, ended: () => boolean): void {
    const key = keyOf(selection)
    const group = this.#groups.get(key) ?? { ...selection, clients: new Set() }
    this.#groups.set(key, group)
    const client: Client = { response, ended, skipped: 0 }
    group.clients.add(client)
    response.once('close', () => {
      group.clients.delete(client)
      if (group.clients.size === 0 && this.#groups.get(key) === group) this.#groups.delete(key)
    })
    const { latest } = this.#hub
    if (latest !== undefined) this.#send(client, group, latest)
  }

  close(): void {
    clearInterval(this.#heartbeat)
    this.#unlisten()
    for (const { clients } of this.#groups.values()) for (const { response } of clients) response.end(CLOSED)
  }

  #publish(frame: MetricsFrame): void {
    for (const group of this.#groups.values()) {
      for (const client of group.clients) this.#send(client, group, frame)
    }
  }

  #send(client: Client, group: Group, frame: MetricsFrame): void {
    const { response } = client
    // The unread rest of an ended stream is never read.
    if (response.writableEnded) response.destroy()
    else if (client.ended()) response.end(SIGNED_OUT)
    else if (response.writableLength > UNREAD_MAX_BYTES) this.#skip(client)
    else {
      client.skipped = 0
      response.write(this.#eventOf(group, frame))
    }
  }

  #skip(client: Client): void {
    this.#skipped += 1
    client.skipped += 1
    if (client.skipped >= this.#skippedMax) client.response.destroy()
  }

  #eventOf(group: Group, frame: MetricsFrame): Buffer {
    if (group.sent?.frame !== frame) {
      const body = JSON.stringify(select(frame, group, this.#besideOf(frame)))
      group.sent = { frame, event: Buffer.from(`event: frame\nid: ${frame.seq}\ndata: ${body}\n\n`) }
    }
    return group.sent.event
  }

  #besideOf(frame: MetricsFrame): Beside {
    if (this.#parts?.frame !== frame) {
      const { jobs, gateway, health } = this.#beside
      const ofAll = once(() => health())
      const healthOf = (sees?: Sees) => (sees === undefined ? ofAll() : health(sees))
      this.#parts = { frame, beside: { jobs: once(jobs), gateway: once(gateway), health: healthOf } }
    }
    return this.#parts.beside
  }

  #beat(): void {
    for (const { clients } of this.#groups.values()) {
      for (const { response } of clients) if (response.writableLength === 0) response.write(HEARTBEAT)
    }
    if (this.size >= SCARCE) void KernelQueue.read().then((held) => this.look(held, performance.now()))
  }

  /** Ends clients that have not read for as long as they may, what the operating system holds for them included. */
  look(held: Pick<KernelQueue, 'of'>, nowMs: number): void {
    for (const { clients } of this.#groups.values()) {
      for (const client of clients) {
        const { socket } = client.response
        const stalls = socket !== null && held.of(socket) > UNREAD_MAX_BYTES
        client.heldSinceMs = stalls ? (client.heldSinceMs ?? nowMs) : undefined
        if (nowMs - (client.heldSinceMs ?? nowMs) >= this.#patienceMs) client.response.destroy()
      }
    }
  }
}

const keyOf = ({ topics, namespace, reach }: Selection): string =>
  JSON.stringify([liveTopics.filter((topic) => topics.has(topic)), namespace, reach?.key])

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

function select(whole: MetricsFrame, selection: Selection, { jobs, gateway, health }: Beside): LiveFrame {
  const { topics, namespace, reach } = selection
  const frame = reach === undefined ? whole : frameWithin(reach, whole)
  const { seq, time, durationMs, latency, process, memory, device, devices, sizes, marks } = frame
  const wanted = <T extends { namespace: string }>(parts: T[]): T[] =>
    namespace === undefined ? parts : parts.filter((part) => part.namespace === namespace)
  return {
    seq,
    time,
    durationMs,
    ...(topics.has('latency') && { latency: wanted(latency) }),
    ...(topics.has('process') && { process, gateway: gateway() }),
    ...(topics.has('memory') && { ...(memory !== undefined && { memory }), sizes: wanted(sizes) }),
    ...(topics.has('device') && { ...(device !== undefined && { device }), devices: wanted(devices) }),
    ...(topics.has('marks') && { marks }),
    ...(topics.has('jobs') && { jobs: reach === undefined ? jobs() : jobs().filter((job) => reach.job(job)) }),
    ...(topics.has('health') && { health: health(reach && seesOf(reach)) }),
  }
}
