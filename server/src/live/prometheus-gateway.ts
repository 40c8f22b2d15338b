// The gateway's own figures as Prometheus text.
import type { GatewayUse } from '../schemas/gateway.js'
import { metricLines } from './prometheus.js'

const MS_PER_SECOND = 1000

export function gatewayText(use: GatewayUse): string {
  const { loopDelay, refusedShare, refusedRequests, streams, live, droppedLogLines } = use
  const lateness: [string, number][] = [
    ['{quantile="0.5"}', loopDelay.p50Ms / MS_PER_SECOND],
    ['{quantile="0.99"}', loopDelay.p99Ms / MS_PER_SECOND],
    ['{quantile="1"}', loopDelay.maxMs / MS_PER_SECOND],
  ]
  const one = (type: 'gauge' | 'counter', name: string, help: string, value: number) =>
    metricLines(type, `tessera_${name}`, help, [['', value]])
  const lines = [
    ...metricLines(
      'gauge',
      'tessera_event_loop_delay_seconds',
      'How late the event loop was in the last 3 to 6 seconds.',
      lateness,
    ),
    ...one('gauge', 'refused_share', 'Share of requests for data that is refused.', refusedShare),
    ...one(
      'counter',
      'refused_requests_total',
      'Requests refused because the gateway was overloaded.',
      refusedRequests,
    ),
    ...one('gauge', 'open_streams', 'Scans, queries, streams and exports that are answered.', streams.open),
    ...one('gauge', 'stream_bytes', 'Bytes of streams that nobody has read yet.', streams.heldBytes),
    ...one('counter', 'refused_streams_total', 'Streams refused because there were too many.', streams.refused),
    ...one('counter', 'stalled_readers_total', 'Streams ended because nobody read them.', streams.stalled),
    ...one('gauge', 'live_clients', 'Clients of live figures.', live.clients),
    ...one('counter', 'skipped_frames_total', 'Live frames not sent to slow clients.', live.skippedFrames),
    ...one('counter', 'dropped_log_lines_total', 'Lines of the log that could not be written.', droppedLogLines),
  ]
  return `${lines.join('\n')}\n`
}
