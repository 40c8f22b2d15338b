// The load of all threads, as one.
import type { App } from '../app-types.js'
import { bothAdded, noneAdded } from '../live/added.js'
import type { WorkerFigures } from './calls.js'

export const NO_FIGURES: WorkerFigures = {
  loopDelay: { p50Ms: 0, p99Ms: 0, maxMs: 0 },
  refusedShare: 0,
  refusedRequests: 0,
  connections: { open: 0, closed: 0, refused: 0 },
  unread: { answers: 0, heldBytes: 0, refused: 0, closed: 0 },
  lateSinceMs: undefined,
  sheddingSinceMs: undefined,
  added: noneAdded(),
}

export const figuresOf = ({ gate, connections, unread, added }: App): WorkerFigures => ({
  loopDelay: gate.loop.delay(),
  refusedShare: gate.admission.refusedShare,
  refusedRequests: gate.admission.refused,
  connections: connections.figures(),
  unread: unread.figures(),
  lateSinceMs: gate.loop.lateSince?.getTime(),
  sheddingSinceMs: gate.sheddingSince?.getTime(),
  added,
})

/** Counts are added, and of delays and shares the worst is taken. Both have the same open connections: those of all. */
export const together = (a: WorkerFigures, b: WorkerFigures): WorkerFigures => ({
  loopDelay: {
    p50Ms: Math.max(a.loopDelay.p50Ms, b.loopDelay.p50Ms),
    p99Ms: Math.max(a.loopDelay.p99Ms, b.loopDelay.p99Ms),
    maxMs: Math.max(a.loopDelay.maxMs, b.loopDelay.maxMs),
  },
  refusedShare: Math.max(a.refusedShare, b.refusedShare),
  refusedRequests: a.refusedRequests + b.refusedRequests,
  connections: {
    open: Math.max(a.connections.open, b.connections.open),
    closed: a.connections.closed + b.connections.closed,
    refused: a.connections.refused + b.connections.refused,
  },
  unread: {
    answers: a.unread.answers + b.unread.answers,
    heldBytes: a.unread.heldBytes + b.unread.heldBytes,
    refused: a.unread.refused + b.unread.refused,
    closed: a.unread.closed + b.unread.closed,
  },
  lateSinceMs: earliest(a.lateSinceMs, b.lateSinceMs),
  sheddingSinceMs: earliest(a.sheddingSinceMs, b.sheddingSinceMs),
  added: bothAdded(a.added, b.added),
})

/** Of a worker that has ended, only what it has counted stays. */
export const countsOf = ({ refusedRequests, connections, unread, added }: WorkerFigures): WorkerFigures => ({
  ...NO_FIGURES,
  refusedRequests,
  connections: { ...connections, open: 0 },
  unread: { ...unread, answers: 0, heldBytes: 0 },
  added,
})

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Math.min(a, b)
}
