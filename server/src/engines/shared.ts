// What the threads of one server share beside the engine: sockets that listen, and counts.
import { listenTogether, listeningAgain, listeningSocket, stopListening, tallyOf } from '@tessera/native'
import type { Counts } from '../network/counts.js'

/** The binding takes whole numbers of 32 bits. */
const COUNT_MAX = 0xffff_ffff

export { attachNativeEngine } from './native.js'

/** Opens `count` sockets at one address, for the threads that share an engine. */
export const openSockets = (
  handle: number,
  { address, port }: { address: string; port: number },
  backlog: number,
  count: number,
): void => {
  listenTogether(handle, address, port, backlog, count)
}

/** A descriptor of one of them, for who listens there and closes it. */
export const socketOf = (handle: number, place: number): number => listeningSocket(handle, place)

/** Another descriptor of a socket that listens, for who closes it. */
export const sameSocket = (descriptor: number): number => listeningAgain(descriptor)

export const closeSockets = (handle: number): void => {
  stopListening(handle)
}

/** Counts of all threads. Those of a thread that ends are taken back. */
export function sharedCounts(handle: number): Counts {
  const tally = tallyOf(handle)
  return {
    enter: (name, most) => tally.enter(name, Math.min(most, COUNT_MAX)),
    leave: (name) => tally.leave(name),
    count: (name) => tally.count(name),
  }
}
