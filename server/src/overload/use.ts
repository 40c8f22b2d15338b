// The gateway's own figures, and its notices.
import type { App } from '../app-types.js'
import { logLines } from '../log/log-lines.js'
import type { GatewayNotice, GatewayUse } from '../schemas/server/gateway.js'
import type { EngineStatus } from '../schemas/server/status.js'
import type { AddedCounts } from '../live/added.js'
import type { WorkerFigures } from '../workers/calls.js'
import { figuresOf, together } from '../workers/figures.js'
import { WINDOW_SECONDS } from './loop.js'
import { english, saidOf, say, type Sentence } from '../sentences/sentence.js'

/** Of all threads that answer. */
const figuresOfAll = (app: App): WorkerFigures =>
  app.crew === undefined ? figuresOf(app) : together(figuresOf(app), app.crew.figures())

/** What all threads have added to requests since the start. */
export const addedByAll = (app: App): AddedCounts => figuresOfAll(app).added

export function gatewayUse(app: App): GatewayUse {
  const { callersLimits, certificate, streams, feed, logSender } = app
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
    ...(logSender !== undefined && { sentLogs: logSender.figures() }),
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
      ...messageOf(
        say('the event loop is late: p99 delay {delay} over the last {window, number} s, alarm at {alarm}', {
          delay: { amount: p99Ms, unit: 'ms' },
          window: WINDOW_SECONDS,
          alarm: { amount: config.loopAlarmMs, unit: 'ms' },
        }),
      ),
      since: new Date(lateSinceMs).toISOString(),
    })
  }
  const percent = Math.round(refusedShare * 100)
  // Nobody may have asked meanwhile.
  if (sheddingSinceMs !== undefined && percent > 0) {
    notices.push({
      code: 'overloaded',
      ...messageOf(
        say('{percent}% of data requests are refused because the event loop was more than {late} late', {
          percent,
          late: { amount: config.overloadDelayMs, unit: 'ms' },
        }),
      ),
      since: new Date(sheddingSinceMs).toISOString(),
    })
  }
  return notices
}

const messageOf = (sentence: Sentence): Pick<GatewayNotice, 'message' | 'said'> => ({
  message: english(sentence),
  ...saidOf(sentence),
})

type Histories = Pick<EngineStatus, 'history' | 'jobHistory' | 'slowLog' | 'startedAt'>

/** What is wrong with the histories: they are nobody's data, so the server is healthy all the same. */
export function historyNotices({ history, jobHistory, slowLog, startedAt }: Histories): GatewayNotice[] {
  return [
    ...noticesOf('history', say('the history of metrics'), history, startedAt),
    ...noticesOf('jobs', say('the history of jobs and benchmark runs'), jobHistory, startedAt),
    ...noticesOf('slow', say('the log of slow operations'), slowLog, startedAt),
  ]
}

function noticesOf(
  code: 'history' | 'jobs' | 'slow',
  what: Sentence,
  { damaged, unreadable, failure }: EngineStatus['history'],
  startedAt: string,
): GatewayNotice[] {
  const damage = say('{damaged, plural, one {# damaged place was} other {# damaged places were}} found in its files', {
    damaged,
  })
  const losses = [...(damaged === 0 ? [] : [damage]), ...unreadable]
  const [first = '', ...others] = losses
  const why = others.reduce<Sentence | string>((one, other) => say('{one}; {other}', { one, other }), first)
  const lost = losses.length > 0 && {
    code: `${code}_damaged` as const,
    ...messageOf(
      code === 'history'
        ? say('a part of {what} is not shown, and can be a gap in charts: {why}', { what, why })
        : say('a part of {what} is not shown: {why}', { what, why }),
    ),
    since: startedAt,
  }
  const unwritten = failure !== undefined && {
    code: `${code}_not_written` as const,
    ...messageOf(say('{what} is in memory only: {why}', { what, why: failure.message })),
    since: failure.since,
  }
  return [lost, unwritten].filter((notice) => notice !== false)
}
