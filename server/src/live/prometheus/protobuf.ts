// The protobuf format of Prometheus: the only one that has native histograms.
// https://github.com/prometheus/client_model/blob/master/io/prometheus/client/metrics.proto
import protobuf from 'protobufjs/light.js'
import { SCHEMA } from './exponential.js'
import type { Family, HistogramSample, Labels } from './family.js'
import type { Steps } from './turns.js'

export const PROTOBUF_MEDIA = 'application/vnd.google.protobuf'
export const PROTOBUF_TYPE = `${PROTOBUF_MEDIA}; proto=io.prometheus.client.MetricFamily; encoding=delimited`

const field = (id: number, type: string) => ({ id, type })
const list = (id: number, type: string) => ({ id, type, rule: 'repeated' })

/** The fields that we write, with the numbers of the published file. */
export const messages = {
  LabelPair: { fields: { name: field(1, 'string'), value: field(2, 'string') } },
  Value: { fields: { value: field(1, 'double') } },
  Bucket: { fields: { cumulativeCount: field(1, 'uint64'), upperBound: field(2, 'double') } },
  BucketSpan: { fields: { offset: field(1, 'sint32'), length: field(2, 'uint32') } },
  Histogram: {
    fields: {
      sampleCount: field(1, 'uint64'),
      sampleSum: field(2, 'double'),
      bucket: list(3, 'Bucket'),
      schema: field(5, 'sint32'),
      zeroThreshold: field(6, 'double'),
      zeroCount: field(7, 'uint64'),
      positiveSpan: list(12, 'BucketSpan'),
      positiveDelta: list(13, 'sint64'),
    },
  },
  Metric: {
    fields: {
      label: list(1, 'LabelPair'),
      gauge: field(2, 'Value'),
      counter: field(3, 'Value'),
      histogram: field(7, 'Histogram'),
    },
  },
  MetricType: { values: { counter: 0, gauge: 1, histogram: 4 } },
  MetricFamily: {
    fields: {
      name: field(1, 'string'),
      help: field(2, 'string'),
      type: field(3, 'MetricType'),
      metric: list(4, 'Metric'),
    },
  },
}

const root = protobuf.Root.fromJSON({ nested: messages })
const [MetricFamily, Metric] = [root.lookupType('MetricFamily'), root.lookupType('Metric')]
/** Before each metric of a family: the number of its field, and that its length follows. */
const METRIC_TAG = (messages.MetricFamily.fields.metric.id << 3) | 2

/**
 * Each family with its length before it. One without samples is left out: the format has no place for it. A step is a
 * sample.
 */
export function* protobufOf(families: readonly Family[]): Steps<Buffer> {
  const whole: Uint8Array[] = []
  for (const family of families) {
    const { name, help, type } = family
    const parts = [MetricFamily.encode({ name, help, type: messages.MetricType.values[type] }).finish()]
    for (const metric of metricsOf(family)) {
      parts.push(Metric.encode(metric, protobuf.Writer.create().uint32(METRIC_TAG).fork()).ldelim().finish())
      yield
    }
    if (parts.length === 1) continue
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    whole.push(protobuf.Writer.create().uint32(length).finish(), Buffer.concat(parts))
  }
  return Buffer.concat(whole)
}

function* metricsOf(family: Family): Generator<object> {
  if (family.type === 'histogram')
    for (const sample of family.samples) yield { label: pairsOf(sample.labels), histogram: histogramOf(sample) }
  else for (const { labels, value } of family.samples) yield { label: pairsOf(labels), [family.type]: { value } }
}

const pairsOf = (labels: Labels): object[] => Object.entries(labels).map(([name, value]) => ({ name, value }))

function histogramOf({ count, sum, edges, exponential }: HistogramSample): object {
  return {
    sampleCount: count,
    sampleSum: sum,
    bucket: edges.map(([upperBound, cumulativeCount]) => ({ upperBound, cumulativeCount })),
    schema: SCHEMA,
    zeroThreshold: 0,
    zeroCount: 0,
    ...spansOf(exponential()),
  }
}

/** Runs of buckets that follow each other, and the difference of each count from the one before. */
function spansOf(buckets: ReturnType<HistogramSample['exponential']>): object {
  const positiveSpan: { offset: number; length: number }[] = []
  const positiveDelta: number[] = []
  let [next, before] = [0, 0]
  for (const [index, count] of buckets) {
    const open = positiveSpan.at(-1)
    if (open !== undefined && index === next) open.length += 1
    else positiveSpan.push({ offset: index - next, length: 1 })
    positiveDelta.push(count - before)
    ;[next, before] = [index + 1, count]
  }
  // Without a span, it would be read as a histogram of edges alone.
  if (positiveSpan.length === 0) positiveSpan.push({ offset: 0, length: 0 })
  return { positiveSpan, positiveDelta }
}
