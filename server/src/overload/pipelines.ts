// Pipelined requests of one connection are served in turn, and none once it has closed. Node would serve all of them at once,
// and keep their answers in memory until the first one is read.
import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** A connection is read no further while so many of its requests wait. What was read with them waits, too. */
export const WAITING_MAX = 16
/** Requests of all connections that wait, about 2 KiB each. Beyond it, a connection with more than its share is closed. */
export const WAITING_ALL_MAX = 50_000

export class Pipelines {
  /** Requests that wait, by connection. One that never had any is not in it. */
  readonly #lines = new WeakMap<Socket, { waiting: number }>()
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
      this.#enter(socket)
      // One a turn of the loop, so that a long line does not hold up others.
      response.once('socket', () => setImmediate(() => this.#leave(socket) && handle(request, response)))
    }
  }

  #enter(socket: Socket): void {
    const line = this.#lines.get(socket) ?? this.#open(socket)
    line.waiting += 1
    this.#waiting += 1
    if (line.waiting === WAITING_MAX) socket.pause()
    if (line.waiting > WAITING_MAX && this.#waiting > WAITING_ALL_MAX) socket.destroy()
  }

  /** Whether the request that leaves is to be served. */
  #leave(socket: Socket): boolean {
    const line = this.#lines.get(socket)
    // Its connection has closed.
    if (line === undefined) return false
    line.waiting -= 1
    this.#waiting -= 1
    if (line.waiting === WAITING_MAX - 1) socket.resume()
    return true
  }

  #open(socket: Socket): { waiting: number } {
    const line = { waiting: 0 }
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
