import type { AlertHealth, Job, LiveFrame } from '../api/types'
import { beginCall } from '../api/calls'
import { here } from '../base-path'
import { eventLog } from './event-log'
import { type Frame, readFrame } from './frame'

export type ConnectionState = 'connecting' | 'live' | 'lost'

const PATH = '/api/v1/live?topics=latency,process,memory,device,marks,jobs,health'
const SILENCE_MS = 5000
const RETRY_MS = [500, 1000, 2000, 5000]

/** The only metrics stream of the application. It reconnects by itself and notifies its listeners. */
class LiveConnection {
  state: ConnectionState = 'connecting'
  lastFrameAt: number | undefined
  latest: Frame | undefined
  /** jobs of the newest frame that told them; the same list as long as it is equal */
  jobs: Job[] | undefined
  /** what the alerts add up to; the same object as long as it is equal */
  health: AlertHealth | undefined
  private source: EventSource | undefined
  private watchdog: ReturnType<typeof setTimeout> | undefined
  private retry: ReturnType<typeof setTimeout> | undefined
  private failures = 0
  private readonly frameListeners = new Set<(frame: Frame) => void>()
  private readonly stateListeners = new Set<() => void>()

  start(): void {
    if (this.source !== undefined) return
    const end = beginCall('GET', PATH, { headers: { Accept: 'text/event-stream' } })
    const source = new EventSource(here(PATH))
    this.source = source
    source.addEventListener('open', () => end('stream'))
    source.addEventListener('frame', (event) => this.receive(event))
    source.addEventListener('error', () => {
      end('failed')
      this.lost()
    })
    this.watch()
  }

  /** Ends the stream, and forgets how old its last frame is: the next one begins anew. */
  stop(): void {
    this.close()
    this.lastFrameAt = undefined
    this.change('connecting')
  }

  onFrame(listener: (frame: Frame) => void): () => void {
    this.frameListeners.add(listener)
    return () => this.frameListeners.delete(listener)
  }

  onState(listener: () => void): () => void {
    this.stateListeners.add(listener)
    return () => this.stateListeners.delete(listener)
  }

  private receive(event: MessageEvent<string>): void {
    const frame = readFrame(JSON.parse(event.data) as LiveFrame)
    this.failures = 0
    this.latest = frame
    if (frame.marks.length > 0) eventLog.note(frame.marks)
    if (frame.jobs !== undefined && !isSame(this.jobs, frame.jobs)) this.jobs = frame.jobs
    if (!isSame(this.health, frame.health)) this.health = frame.health
    this.lastFrameAt = Date.now()
    this.watch()
    for (const listener of this.frameListeners) listener(frame)
    this.change('live')
  }

  /** A silent stream counts as lost. */
  private watch(): void {
    clearTimeout(this.watchdog)
    this.watchdog = setTimeout(() => this.lost(), SILENCE_MS)
  }

  private close(): void {
    clearTimeout(this.watchdog)
    clearTimeout(this.retry)
    this.source?.close()
    this.source = undefined
  }

  private lost(): void {
    this.close()
    this.change('lost')
    const wait = RETRY_MS[Math.min(this.failures++, RETRY_MS.length - 1)]!
    this.retry = setTimeout(() => this.start(), wait)
  }

  private change(state: ConnectionState): void {
    if (state === this.state) return
    this.state = state
    for (const listener of this.stateListeners) listener()
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

export const connection = new LiveConnection()
