// The gate measures how late the event loop is. While it is too late, the gate refuses a share of the data requests
// before they are routed, authorised or read.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { errorTable } from '../error-table.js'
import { requestId } from '../requests/request-id.js'
import type { Config } from '../config.js'
import { Admission } from './admission.js'
import { LoopWatch } from './loop.js'
import { Pace } from './pace.js'
import { Turn } from './turn.js'

/** How often the delay is measured. */
const TICK_MS = 25
const SECOND_MS = 1000
/** A refused body up to this size is read and dropped; for a longer one the connection is closed. */
const DROPPED_BODY_MAX = 64 * 1024
const RETRY_AFTER_S = '1'

/** Data requests. All others (health, metrics, sign-in, console, live metrics, jobs) are always served. */
const DATA =
  /^\/(?:v[12]\/|ycsb\/|api\/v1\/namespaces\/[^/?]+\/(?:sets\/[^/?]+\/)?(?:records|read|query|scan|stream|export|import)(?:[/?]|$))/
const COMPATIBLE = /^\/v[12]\//

const MESSAGE = 'the server is overloaded; try again later'

type Bounds = Pick<Config, 'overloadDelayMs' | 'loopAlarmMs'>
type Settings = Bounds & Partial<Pick<Config, 'basePath'>>

export class Gate {
  readonly admission: Admission
  readonly loop: LoopWatch
  readonly #base: string
  readonly #pace = new Pace()
  readonly #turn = new Turn()
  #ticks: NodeJS.Timeout | undefined
  #due = 0
  #secondEnds = 0
  #waiting: (() => void)[] = []
  #sheddingSince: Date | undefined

  constructor({ overloadDelayMs, loopAlarmMs, basePath = '' }: Settings) {
    this.#base = basePath
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
      if (admission.shedding && isData(request.url) && !admission.admits(this.#turn.ageMs()))
        refuse(request, response, this.#base)
      else handle(request, response)
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
    this.loop.close()
    this.#letGo()
  }

  #tick(): void {
    const now = performance.now()
    this.admission.sample(Math.max(0, now - this.#due), now)
    this.#due = now + TICK_MS
    if (!this.admission.shedding) this.#sheddingSince = undefined
    else this.#sheddingSince ??= new Date()
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

/** Answers without route, hook or log. */
function refuse(request: IncomingMessage, response: ServerResponse, base: string): void {
  const url = request.url ?? ''
  const id = requestId(request)
  const compatible = COMPATIBLE.test(url)
  const body = compatible ? compatibleBody : problem(url, id, base)
  const headers = [
    'content-type',
    compatible ? 'application/json' : 'application/problem+json',
    'content-length',
    String(Buffer.byteLength(body)),
    'retry-after',
    RETRY_AFTER_S,
    'cache-control',
    'no-store',
    'x-request-id',
    id,
  ]
  if (!isShort(request)) headers.push('connection', 'close')
  response.writeHead(errorTable.overloaded.status, headers)
  response.end(body)
}

/** Whether the rest of the body is small enough to read and drop. */
function isShort({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return false
  return Number(headers['content-length'] ?? 0) <= DROPPED_BODY_MAX
}

const compatibleBody = JSON.stringify({ message: MESSAGE, inDoubt: false })
const { status, title } = errorTable.overloaded
const afterType = `/docs/errors#overloaded",${JSON.stringify({ title, status, detail: MESSAGE }).slice(1, -1)},"instance":`
const afterInstance = `,"code":"overloaded","retryable":true,"requestId":`

function problem(url: string, id: string, base: string): string {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  return `{"type":"${base}${afterType}${JSON.stringify(base + path)}${afterInstance}${JSON.stringify(id)}}`
}
