// Bodies of requests and the one budget of what all requests hold: who finds no room waits for its turn, then is refused.
import type { FastifyRequest } from 'fastify'
import { setTimeout } from 'node:timers/promises'
import type { App } from '../app-types.js'
import type { Room } from '../engines/engine.js'
import { GatewayError } from '../errors.js'

/** Smaller bodies are taken without asking. */
export const FREE_BYTES = 64 * 1024
/** Pieces of a body are put together, so it is held twice for a moment. */
const COPIES = 2
/** Between two looks whether there is room. */
const LOOK_MS = 20

const rooms = new WeakMap<FastifyRequest, Room[]>()
const answered = new WeakSet<FastifyRequest>()

/** Gives back what requests held, once they are answered. */
export function giveRoomBack(app: App): void {
  app.addHook('onResponse', (request, _reply, done) => {
    for (const room of rooms.get(request) ?? []) room.give()
    rooms.delete(request)
    answered.add(request)
    done()
  })
}

/**
 * Waits until a request may hold so many bytes of a body, for at most the patience of the configuration.
 *
 * @throws GatewayError `memory_busy`
 */
export async function takeRoom(request: FastifyRequest, bytes: number): Promise<void> {
  const { engine, config } = request.server as unknown as App
  const until = performance.now() + config.requestPatienceMs
  for (;;) {
    const room = engine.takeRoom(bytes * COPIES)
    if (room !== undefined) {
      // After the answer nobody would give it back.
      if (answered.has(request)) room.give()
      else rooms.set(request, [...(rooms.get(request) ?? []), room])
      return
    }
    if (performance.now() >= until) {
      engine.noteRefused()
      throw new GatewayError('memory_busy', 'other requests hold the memory that bodies and queries may hold together')
    }
    await setTimeout(LOOK_MS)
  }
}
