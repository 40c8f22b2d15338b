// The gateway's own figures as Prometheus text.
import type { GatewayUse } from '../schemas/server/gateway.js'
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
      'Delay of the event loop over the last 3 to 6 seconds.',
      lateness,
    ),
    ...one('gauge', 'refused_share', 'Share of data requests that are refused.', refusedShare),
    ...one(
      'counter',
      'refused_requests_total',
      'Data requests refused because the gateway was overloaded.',
      refusedRequests,
    ),
    ...one('gauge', 'open_streams', 'Open streams of scans, queries, streams and exports.', streams.open),
    ...one('gauge', 'stream_bytes', 'Bytes of streams that clients have not read yet.', streams.heldBytes),
    ...one('counter', 'refused_streams_total', 'Streams refused because there were too many.', streams.refused),
    ...one('counter', 'stalled_readers_total', 'Streams ended because nobody read them.', streams.stalled),
    ...one('gauge', 'live_clients', 'Clients of the live metrics.', live.clients),
    ...one('counter', 'skipped_frames_total', 'Live frames skipped because the client was slow.', live.skippedFrames),
    ...one('counter', 'dropped_log_lines_total', 'Log lines lost.', droppedLogLines),
  ]
  return `${lines.join('\n')}\n`
}
