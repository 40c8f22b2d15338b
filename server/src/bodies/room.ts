// Request bodies share one memory budget. A request without room waits in the engine's queue.
import type { FastifyRequest } from 'fastify'
import { setTimeout } from 'node:timers/promises'
import type { App } from '../app-types.js'
import type { Room } from '../engines/engine.js'

/** Smaller bodies need no reservation. */
export const FREE_BYTES = 64 * 1024
/** Joining the pieces holds the body twice for a moment: `takeRoom` takes so many times what it is told. */
export const COPIES = 2
/** Interval between two checks of the queue. */
const LOOK_MS = 20

/** The reservation of a request; `over`: it is answered, or its client has disconnected. */
interface Held {
  room?: Room
  over: boolean
}

const all = new WeakMap<FastifyRequest, Held>()

/** Frees reservations when requests are answered or their clients disconnect. */
export function giveRoomBack(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (mayNeedRoom(request)) {
      const held: Held = { over: false }
      all.set(request, held)
      // `onResponse` does not run if the client disconnected.
      reply.raw.once('close', () => giveBack(held))
    }
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    const held = all.get(request)
    if (held !== undefined) giveBack(held)
    done()
  })
}

const mayNeedRoom = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined ||
  headers['content-encoding'] !== undefined ||
  Number(headers['content-length'] ?? 0) > FREE_BYTES

function giveBack(held: Held): void {
  held.over = true
  held.room?.give()
  delete held.room
}

/**
 * Waits until the request may hold `bytes` more. A request that is over reserves nothing.
 *
 * @throws StoreError `memory_busy`
 */
export async function takeRoom(request: FastifyRequest, bytes: number): Promise<void> {
  const { engine } = request.server as unknown as App
  const held = all.get(request)
  if (held === undefined || held.over) return
  held.room ??= engine.room()
  while (held.room?.take(bytes * COPIES) === false) await setTimeout(LOOK_MS)
}
