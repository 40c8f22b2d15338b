// What the gateway does beside the engine: its event loop, what it refuses, its streams and live clients.
import { type Static, Type } from 'typebox'
import { Bytes, Count, Timestamp } from './quantities.js'
import { choice } from './words.js'

export const LoopDelay = Type.Object(
  { p50Ms: Type.Number(), p99Ms: Type.Number(), maxMs: Type.Number() },
  { description: 'how late the event loop came to its work in the last 3 to 6 seconds' },
)
export type LoopDelay = Static<typeof LoopDelay>

export const GatewayUse = Type.Object(
  {
    loopDelay: LoopDelay,
    refusedShare: Type.Number({ description: 'of requests for data that is refused with `overloaded` now: 0 to 1' }),
    refusedRequests: { ...Count, description: 'requests refused with `overloaded` since the start' },
    streams: Type.Object(
      {
        open: Count,
        heldBytes: { ...Bytes, description: 'what their readers have not read yet, here and in the engine' },
        refused: { ...Count, description: 'refused with `too_many_streams` since the start' },
        stalled: { ...Count, description: 'ended since the start because nobody read them' },
      },
      { description: 'answers to scans, queries, streams and exports that are under way' },
    ),
    live: Type.Object(
      {
        clients: Count,
        skippedFrames: { ...Count, description: 'not sent to clients that had not read the ones before' },
      },
      { description: 'clients of GET /api/v1/live' },
    ),
    droppedLogLines: {
      ...Count,
      description: 'lines of the log that could not be written since the start: a full disk, or a reader that stalls',
    },
  },
  { title: 'GatewayUse' },
)
export type GatewayUse = Static<typeof GatewayUse>

export const GatewayNotice = Type.Object(
  {
    code: choice(['event_loop_late', 'overloaded']),
    message: Type.String(),
    since: Timestamp,
  },
  { title: 'GatewayNotice' },
)
export type GatewayNotice = Static<typeof GatewayNotice>
