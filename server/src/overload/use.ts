// The gateway's own figures, and its notices.
import type { App } from '../app-types.js'
import { logLines } from '../log/log-lines.js'
import type { GatewayNotice, GatewayUse } from '../schemas/server/gateway.js'
import type { EngineStatus } from '../schemas/server/status.js'
import type { AddedCounts } from '../live/added.js'
import type { WorkerFigures } from '../workers/calls.js'
import { figuresOf, together } from '../workers/figures.js'
import { WINDOW_SECONDS } from './loop.js'

/** Of all threads that answer. */
const figuresOfAll = (app: App): WorkerFigures =>
  app.crew === undefined ? figuresOf(app) : together(figuresOf(app), app.crew.figures())

/** What all threads have added to requests since the start. */
export const addedByAll = (app: App): AddedCounts => figuresOfAll(app).added

export function gatewayUse(app: App): GatewayUse {
  const { callersLimits, certificate, streams, feed } = app
  const { loopDelay, refusedShare, refusedRequests, connections, unread } = figuresOfAll(app)
  return {
    loopDelay,
    refusedShare,
    refusedRequests,
    limitedRequests: callersLimits.refused,
    connections,
    streams: streams.figures(),
    unread,
    live: { clients: feed.size, skippedFrames: feed.skipped },
    ...(certificate !== undefined && { certificateEndsAt: new Date(certificate.endsAtMs).toISOString() }),
    droppedLogLines: logLines.dropped,
  }
}

export function gatewayNotices(app: App): GatewayNotice[] {
  const { config } = app
  const notices: GatewayNotice[] = []
  const { loopDelay, refusedShare, lateSinceMs, sheddingSinceMs } = figuresOfAll(app)
  if (lateSinceMs !== undefined) {
    const { p99Ms } = loopDelay
    notices.push({
      code: 'event_loop_late',
      message: `the event loop is late: p99 delay ${p99Ms} ms over the last ${WINDOW_SECONDS} s, alarm at ${config.loopAlarmMs} ms`,
      since: new Date(lateSinceMs).toISOString(),
    })
  }
  if (sheddingSinceMs !== undefined) {
    const percent = Math.round(refusedShare * 100)
    notices.push({
      code: 'overloaded',
      message: `${percent}% of data requests are refused because the event loop was more than ${config.overloadDelayMs} ms late`,
      since: new Date(sheddingSinceMs).toISOString(),
    })
  }
  return notices
}

type Histories = Pick<EngineStatus, 'history' | 'jobHistory' | 'slowLog' | 'startedAt'>

/** What is wrong with the histories: they are nobody's data, so the server is healthy all the same. */
export function historyNotices({ history, jobHistory, slowLog, startedAt }: Histories): GatewayNotice[] {
  return [
    ...noticesOf('history', 'the history of metrics', history, startedAt),
    ...noticesOf('jobs', 'the history of jobs and benchmark runs', jobHistory, startedAt),
    ...noticesOf('slow', 'the log of slow operations', slowLog, startedAt),
  ]
}

function noticesOf(
  code: 'history' | 'jobs' | 'slow',
  what: string,
  { damaged, unreadable, failure }: EngineStatus['history'],
  startedAt: string,
): GatewayNotice[] {
  const places =
    damaged === 0 ? [] : [`${damaged} damaged ${damaged === 1 ? 'place was' : 'places were'} found in its files`]
  const losses = [...places, ...unreadable]
  const lost = losses.length > 0 && {
    code: `${code}_damaged` as const,
    message: `a part of ${what} is not shown${code === 'history' ? ', and can be a gap in charts' : ''}: ${losses.join('; ')}`,
    since: startedAt,
  }
  const unwritten = failure !== undefined && {
    code: `${code}_not_written` as const,
    message: `${what} is in memory only: ${failure.message}`,
    since: failure.since,
  }
  return [lost, unwritten].filter((notice) => notice !== false)
}
