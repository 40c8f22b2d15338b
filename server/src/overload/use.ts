// The gateway's own figures, and its notices.
import type { App } from '../app-types.js'
import { logLines } from '../log/log-lines.js'
import type { GatewayNotice, GatewayUse } from '../schemas/server/gateway.js'
import type { EngineStatus } from '../schemas/server/status.js'
import { WINDOW_SECONDS } from './loop.js'

export function gatewayUse({ gate, callersLimits, connections, streams, unread, feed, certificate }: App): GatewayUse {
  return {
    loopDelay: gate.loop.delay(),
    refusedShare: gate.admission.refusedShare,
    refusedRequests: gate.admission.refused,
    limitedRequests: callersLimits.refused,
    connections: connections.figures(),
    streams: streams.figures(),
    unread: unread.figures(),
    live: { clients: feed.size, skippedFrames: feed.skipped },
    ...(certificate !== undefined && { certificateEndsAt: new Date(certificate.endsAtMs).toISOString() }),
    droppedLogLines: logLines.dropped,
  }
}

export function gatewayNotices({ gate, config }: App): GatewayNotice[] {
  const notices: GatewayNotice[] = []
  const { lateSince } = gate.loop
  if (lateSince !== undefined) {
    const { p99Ms } = gate.loop.delay()
    notices.push({
      code: 'event_loop_late',
      message: `the event loop is late: p99 delay ${p99Ms} ms over the last ${WINDOW_SECONDS} s, alarm at ${config.loopAlarmMs} ms`,
      since: lateSince.toISOString(),
    })
  }
  if (gate.sheddingSince !== undefined) {
    const percent = Math.round(gate.admission.refusedShare * 100)
    notices.push({
      code: 'overloaded',
      message: `${percent}% of data requests are refused because the event loop was more than ${config.overloadDelayMs} ms late`,
      since: gate.sheddingSince.toISOString(),
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
