// Bodies of requests and the one budget of what all requests hold: who finds no room waits for its turn, in the engine's queue.
import type { FastifyRequest } from 'fastify'
import { setTimeout } from 'node:timers/promises'
import type { App } from '../app-types.js'
import type { Room } from '../engines/engine.js'

/** Smaller bodies are taken without asking. */
export const FREE_BYTES = 64 * 1024
/** Pieces of a body are put together, so it is held twice for a moment. */
const COPIES = 2
/** Between two looks whether it is its turn. */
const LOOK_MS = 20

/** What a request holds; `over`: it is answered, or its client is gone. */
interface Held {
  room?: Room
  over: boolean
}

const all = new WeakMap<FastifyRequest, Held>()

/** Gives back what requests held, once they are answered or their clients are gone. */
export function giveRoomBack(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (mayNeedRoom(request)) {
      const held: Held = { over: false }
      all.set(request, held)
      // There is no `onResponse` for a client that went away.
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
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > FREE_BYTES

function giveBack(held: Held): void {
  held.over = true
  held.room?.give()
  delete held.room
}

/**
 * Waits until it is a request's turn to hold so many bytes more of a body. Of a request that is over nothing is taken.
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
