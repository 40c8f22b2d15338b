// What the gateway adds to requests, as a histogram since the start.
import { sloEdgesNs } from '../../schemas/server/metrics.js'
import { type AddedCounts, histogramOf } from '../added.js'
import { exponentialOf } from './exponential.js'
import type { Family } from './family.js'

const NANOS_PER_SECOND = 1e9

export function addedFamily(counts: AddedCounts): Family {
  const { count, sumNs, slo } = histogramOf(counts)
  return {
    type: 'histogram',
    name: 'tessera_gateway_added_seconds',
    help: 'Time that requests for records by key spent outside of the engine, from their head to the last byte.',
    samples: [
      {
        labels: {},
        count,
        sum: sumNs / NANOS_PER_SECOND,
        edges: sloEdgesNs.map((edge, i) => [edge / NANOS_PER_SECOND, slo[i] ?? 0]),
        exponential: () => exponentialOf(counts),
      },
    ],
  }
}
