// The gate before everything: it measures how late the event loop is, and while that is too late, answers a share of the requests for
// data itself, before they are routed, authorised or read.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { errorTable } from '../error-table.js'
import { requestId } from '../plugins/headers.js'
import type { Config } from '../config.js'
import { Admission } from './admission.js'
import { LoopWatch } from './loop.js'
import { Pace } from './pace.js'
import { Turn } from './turn.js'

/** How often the delay is measured. */
const TICK_MS = 25
const SECOND_MS = 1000
/** A body of no more than this is read and dropped; for a longer one the connection ends. */
const DROPPED_BODY_MAX = 64 * 1024
const RETRY_AFTER_S = '1'

/** Requests for records: all others (health, metrics, sign-in, the console, live figures, jobs) are always served. */
const DATA =
  /^\/(?:v[12]\/|ycsb\/|api\/v1\/namespaces\/[^/?]+\/(?:sets\/[^/?]+\/)?(?:records|read|query|scan|stream|export|import)(?:[/?]|$))/
const COMPATIBLE = /^\/v[12]\//

const MESSAGE = 'the server has more to do than it can in time'

export class Gate {
  readonly admission: Admission
  readonly loop: LoopWatch
  readonly #pace = new Pace()
  readonly #turn = new Turn()
  #ticks: NodeJS.Timeout | undefined
  #due = 0
  #secondEnds = 0
  #waiting: (() => void)[] = []
  #sheddingSince: Date | undefined

  constructor({ overloadDelayMs, loopAlarmMs }: Pick<Config, 'overloadDelayMs' | 'loopAlarmMs'>) {
    this.admission = new Admission(overloadDelayMs)
    this.loop = new LoopWatch(loopAlarmMs)
  }

  /** Begins to measure: what comes before there are callers is nobody's delay. */
  open(): void {
    this.#due = performance.now() + TICK_MS
    this.#secondEnds = performance.now() + SECOND_MS
    this.#ticks = setInterval(() => this.#tick(), TICK_MS).unref()
    this.loop.open()
  }

  /** What is to be called for each request in place of `handle`. */
  before(handle: RequestListener): RequestListener {
    return (request, response) => {
      const { admission } = this
      if (admission.shedding && isData(request.url) && !admission.admits(this.#turn.ageMs())) refuse(request, response)
      else handle(request, response)
    }
  }

  /**
   * Long work waits for this before it sends its next piece, of so many bytes: for its turn, and while requests are refused for the
   * next measurement. Nothing to wait for: undefined.
   */
  giveWay(bytes = 0): Promise<void> | undefined {
    if (!this.admission.shedding) return this.#pace.take(bytes)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Since when requests have been refused, if they are. */
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

/** Whether a request is for records. */
export const isData = (url = ''): boolean => DATA.test(url)

/** The shortest way to an answer: no route, no hook, no log. */
function refuse(request: IncomingMessage, response: ServerResponse): void {
  const url = request.url ?? ''
  const id = requestId(request)
  const compatible = COMPATIBLE.test(url)
  const body = compatible ? compatibleBody : problem(url, id)
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

/** Whether what is left of the body is quickly read and dropped. */
function isShort({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return false
  return Number(headers['content-length'] ?? 0) <= DROPPED_BODY_MAX
}

const compatibleBody = JSON.stringify({ message: MESSAGE, inDoubt: false })
const { status, title } = errorTable.overloaded
const beforeInstance = `${JSON.stringify({ type: '/docs/errors#overloaded', title, status, detail: MESSAGE }).slice(0, -1)},"instance":`
const afterInstance = `,"code":"overloaded","retryable":true,"requestId":`

function problem(url: string, id: string): string {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  return `${beforeInstance}${JSON.stringify(path)}${afterInstance}${JSON.stringify(id)}}`
}
