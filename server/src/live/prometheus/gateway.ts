// The figures of the gateway itself.
import type { GatewayUse } from '../../schemas/server/gateway.js'
import { counter, type Family, gauge } from './family.js'

const MS_PER_SECOND = 1000

export function gatewayFamilies(use: GatewayUse): Family[] {
  const {
    loopDelay,
    refusedShare,
    refusedRequests,
    limitedRequests,
    connections,
    streams,
    unread,
    live,
    certificateEndsAt,
    sentLogs,
    droppedLogLines,
  } = use
  return [
    gauge('event_loop_delay_seconds', 'Delay of the event loop over the last 3 to 6 seconds.', [
      [{ stat: 'p50' }, loopDelay.p50Ms / MS_PER_SECOND],
      [{ stat: 'p99' }, loopDelay.p99Ms / MS_PER_SECOND],
      [{ stat: 'max' }, loopDelay.maxMs / MS_PER_SECOND],
    ]),
    gauge('refused_share', 'Share of data requests that are refused.', refusedShare),
    counter('refused_requests_total', 'Data requests refused because the gateway was overloaded.', refusedRequests),
    counter('limited_requests_total', 'Requests refused because their callers reached their limits.', limitedRequests),
    gauge('connections', 'Open connections of clients.', connections.open),
    counter('closed_connections_total', 'Idle connections closed to make room for others.', connections.closed),
    counter('refused_connections_total', 'Connections refused because there were too many.', connections.refused),
    gauge('open_streams', 'Open streams of scans, queries, streams and exports.', streams.open),
    gauge('stream_bytes', 'Bytes of streams that clients have not read yet.', streams.heldBytes),
    counter('refused_streams_total', 'Streams refused because there were too many.', streams.refused),
    counter('stalled_readers_total', 'Streams ended because nobody read them.', streams.stalled),
    gauge('unread_answers', 'Large answers that clients have not read yet.', unread.answers),
    gauge('unread_bytes', 'Bytes of these answers.', unread.heldBytes),
    counter('refused_answers_total', 'Requests refused because clients did not read answers.', unread.refused),
    counter('unread_closed_total', 'Connections closed because their clients did not read answers.', unread.closed),
    gauge('live_clients', 'Clients of the live metrics.', live.clients),
    counter('skipped_frames_total', 'Live frames skipped because the client was slow.', live.skippedFrames),
    ...(certificateEndsAt === undefined
      ? []
      : [
          gauge(
            'certificate_end_timestamp_seconds',
            'When the certificate of the server ends, Unix time.',
            Date.parse(certificateEndsAt) / MS_PER_SECOND,
          ),
        ]),
    ...(sentLogs === undefined
      ? []
      : [
          counter('sent_log_records_total', 'Log lines and audit entries that the collector has taken.', sentLogs.sent),
          counter('dropped_log_records_total', 'Those that the collector will not get.', sentLogs.dropped),
          gauge('waiting_log_records', 'Those that wait for the collector.', sentLogs.waiting),
        ]),
    counter('dropped_log_lines_total', 'Log lines lost.', droppedLogLines),
  ]
}

/** How many alerts are in each state. */
export function alertFamilies(alerts: readonly { state: string; severity: string }[]): Family[] {
  const counts = new Map<string, readonly [{ state: string; severity: string }, number]>()
  for (const { state, severity } of alerts) {
    const [labels, count] = counts.get(`${state} ${severity}`) ?? [{ state, severity }, 0]
    counts.set(`${state} ${severity}`, [labels, count + 1])
  }
  return [gauge('alerts', 'Alerts by state and severity.', [...counts.values()])]
}
