// Pipelined requests of one connection are served in turn, and none once it has closed. Node would serve all of them at once,
// and keep their answers in memory until the first one is read.
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** A connection is read no further while so many of its requests wait. What was read with them waits, too. */
export const WAITING_MAX = 16
/** Requests of all connections that wait, about 2 KiB each. Beyond it, a connection with more than its share is closed. */
export const WAITING_ALL_MAX = 50_000

/** The requests of a connection. */
interface Line {
  waiting: number
  /** The request at work, if it had to wait, and when it came. */
  request?: IncomingMessage
  cameMs: number
  /** Requests that came before this time are refused at once, if they are refused. */
  refusedMs: number
}

export class Pipelines {
  /** By connection. One on which no request ever waited is not in it. */
  readonly #lines = new WeakMap<Socket, Line>()
  #waiting = 0

  /** Requests of all connections that wait for the answers before them. */
  get waiting(): number {
    return this.#waiting
  }

  /** The handler to call for each request instead of `handle`. */
  before(handle: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request
      if (socket.destroyed) return
      // Node gives an answer its socket when all those before it have been sent.
      if (response.socket !== null) {
        handle(request, response)
        return
      }
      const line = this.#enter(socket)
      const cameMs = performance.now()
      const begin = () => this.#leave(request, cameMs) && handle(request, response)
      // One a turn of the loop, so that a long line does not hold up others. To refuse them takes less.
      response.once('socket', () => (cameMs <= line.refusedMs ? begin() : setImmediate(begin)))
    }
  }

  /** How long the request at work has waited for those before it. Infinite: for a refusal. */
  waitedMs(request: IncomingMessage): number {
    const line = this.#lines.get(request.socket)
    if (line === undefined) return 0
    const nowMs = performance.now()
    const cameMs = line.request === request ? line.cameMs : nowMs
    return cameMs <= line.refusedMs ? Infinity : nowMs - cameMs
  }

  /** Notes that a refusal goes out now: what waits for it may be refused with it. Returns how many these are. */
  refuseWaiting(socket: Socket): number {
    const line = this.#lines.get(socket)
    if (line === undefined) return 0
    line.refusedMs = performance.now()
    return line.waiting
  }

  /** Whether the request at work came before the last refusal of its connection went out. */
  isOverdue = (request: IncomingMessage): boolean => this.waitedMs(request) === Infinity

  #enter(socket: Socket): Line {
    const line = this.#lines.get(socket) ?? this.#open(socket)
    line.waiting += 1
    this.#waiting += 1
    if (line.waiting === WAITING_MAX) socket.pause()
    if (line.waiting > WAITING_MAX && this.#waiting > WAITING_ALL_MAX) socket.destroy()
    return line
  }

  /** Whether the request that leaves is to be served. */
  #leave(request: IncomingMessage, cameMs: number): boolean {
    const { socket } = request
    const line = this.#lines.get(socket)
    // Its connection has closed.
    if (line === undefined) return false
    Object.assign(line, { waiting: line.waiting - 1, request, cameMs })
    this.#waiting -= 1
    if (line.waiting === WAITING_MAX - 1) {
      if (cameMs <= line.refusedMs) refuseUnread(line)
      socket.resume()
    }
    return true
  }

  #open(socket: Socket): Line {
    const line: Line = { waiting: 0, cameMs: 0, refusedMs: 0 }
    this.#lines.set(socket, line)
    // Node resumes a connection after each answer.
    socket.on('resume', () => line.waiting >= WAITING_MAX && socket.pause())
    socket.once('close', () => {
      this.#lines.delete(socket)
      this.#waiting -= line.waiting
    })
    return line
  }
}

/** What is read now has waited in the operating system for the refusal that went out. */
function refuseUnread(line: Line): void {
  line.refusedMs = Infinity
  // The first one may come before sockets are read, the second one comes after it.
  setImmediate(() => setImmediate(() => (line.refusedMs = performance.now())))
}
