// The gate measures how late the event loop is. While it is too late, the gate refuses a share of the data requests
// before they are routed, authorised or read.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Config } from '../config.js'
import { Admission } from './admission.js'
import { HeldRefusals } from './held.js'
import { LoopWatch } from './loop.js'
import { Pace } from './pace.js'
import type { Pipelines } from './pipelines.js'
import { refuse } from './refusal.js'
import { Turn } from './turn.js'

/** How often the delay is measured. */
const TICK_MS = 25
const SECOND_MS = 1000
/** A loop that is less late than that has time for more. */
const IN_TIME_MS = 5

/** Data requests. All others (health, metrics, sign-in, console, live metrics, jobs) are always served. */
const DATA =
  /^\/(?:v[12]\/|ycsb\/|api\/v1\/namespaces\/[^/?]+\/(?:sets\/[^/?]+\/)?(?:records|read|query|scan|stream|export|import)(?:[/?]|$))/
type Bounds = Pick<Config, 'overloadDelayMs' | 'loopAlarmMs'>
type Settings = Bounds & Partial<Pick<Config, 'basePath'>>

export class Gate {
  readonly admission: Admission
  readonly loop: LoopWatch
  readonly held = new HeldRefusals()
  readonly #base: string
  readonly #pipelines: Pipelines
  readonly #pace = new Pace()
  readonly #turn = new Turn()
  #ticks: NodeJS.Timeout | undefined
  #due = 0
  #secondEnds = 0
  /** Requests that were let in since the last measurement, while others were refused. */
  #served = 0
  #waiting: (() => void)[] = []
  #sheddingSince: Date | undefined

  /** `pipelines`: where requests wait before they come here. */
  constructor({ overloadDelayMs, loopAlarmMs, basePath = '' }: Settings, pipelines: Pipelines) {
    this.#base = basePath
    this.#pipelines = pipelines
    this.admission = new Admission(overloadDelayMs)
    this.loop = new LoopWatch(loopAlarmMs)
  }

  /** Other bounds from now on. */
  measureBy({ overloadDelayMs, loopAlarmMs }: Bounds): void {
    this.admission.aimAt(overloadDelayMs)
    this.loop.alarmAt(loopAlarmMs)
  }

  /** Begins to measure, once there are callers. */
  open(): void {
    this.#due = performance.now() + TICK_MS
    this.#secondEnds = performance.now() + SECOND_MS
    this.#ticks = setInterval(() => this.#tick(), TICK_MS).unref()
    this.loop.open()
  }

  /** The handler to call for each request instead of `handle`. */
  before(handle: RequestListener): RequestListener {
    return (request, response) => {
      const { admission } = this
      if (!admission.shedding || !isData(request.url)) return handle(request, response)
      const waitedMs = this.#pipelines.waitedMs(request)
      if (!admission.admits(this.#turn.ageMs(), waitedMs)) return this.#refuse(request, response)
      this.#served += 1
      handle(request, response)
    }
  }

  /**
   * Long work waits for this before it sends its next piece of `bytes`: for its turn and, during an overload, for the next
   * measurement. Undefined if there is nothing to wait for.
   */
  giveWay(bytes = 0): Promise<void> | undefined {
    if (!this.admission.shedding) return this.#pace.take(bytes)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Time since when requests have been refused; undefined if they are not. */
  get sheddingSince(): Date | undefined {
    return this.#sheddingSince
  }

  close(): void {
    clearInterval(this.#ticks)
    this.held.close()
    this.loop.close()
    this.#letGo()
  }

  /** Later, and with it all that came before that on the same connection. */
  #refuse(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    if (this.#pipelines.isOverdue(request)) {
      this.held.sent()
      return refuse(request, response, this.#base)
    }
    this.held.hold(() => {
      // Its client may have gone.
      if (response.destroyed) return 0
      const waiting = this.#pipelines.refuseWaiting(socket)
      refuse(request, response, this.#base)
      return 1 + waiting
    })
  }

  #tick(): void {
    const now = performance.now()
    const delayMs = Math.max(0, now - this.#due)
    this.admission.sample(delayMs, now)
    this.#due = now + TICK_MS
    if (!this.admission.shedding) this.#sheddingSince = undefined
    else this.#sheddingSince ??= new Date()
    this.held.tick(delayMs < IN_TIME_MS, this.#served)
    this.#served = 0
    this.#letGo()
    if (now < this.#secondEnds) return
    this.#secondEnds = now + SECOND_MS
    this.loop.second(new Date())
  }

  #letGo(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}

/** Whether this is a data request. */
export const isData = (url = ''): boolean => DATA.test(url)
