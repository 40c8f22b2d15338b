// The metrics that rules can watch: one entry each, with how its value is read.
import type { AlertMetric } from '../../schemas/alerts/rules.js'
import type { DiskLoad } from '../../schemas/namespaces/device.js'
import type { NamespaceFacts, View } from '../source.js'
import type { Unit } from '../../sentences/amount.js'
import { type Sentence, say } from '../../sentences/sentence.js'
import type { LatencyWindow } from './latency.js'

/** What an alert is about; both unset: the server. */
export interface Subject {
  namespace?: string
  namespaceId?: string
  disk?: string
}

interface Common {
  metric: string
  description: string
}

interface Measure extends Common {
  unit: Unit
  /** In a sentence: `… of shop is 31 ms`. */
  sentence: Sentence
}

interface Read {
  scope: AlertMetric['scope']
  windowed: false
  /** Undefined: no data. */
  of: (view: View, subject: Subject) => number | undefined
}

/** `whose`: the namespace; of the server it is empty. */
type OfFlag = (whose: Sentence | string) => Sentence

interface Windowed extends Measure {
  scope: 'namespace'
  windowed: true
  of: (window: LatencyWindow) => number | undefined
}
interface Plain extends Measure, Read {}
interface Flagged extends Common, Read {
  unit: 'flag'
  sentence: OfFlag
  /** The same if it is 0. */
  off: OfFlag
}
export type Metric = Windowed | Plain | Flagged

const windowed = (metric: string, unit: Unit, sentence: Sentence, description: string, of: Windowed['of']): Metric => ({
  metric,
  unit,
  scope: 'namespace',
  windowed: true,
  sentence,
  description,
  of,
})

const plain =
  (scope: AlertMetric['scope']) =>
  (metric: string, unit: Unit, sentence: Sentence, description: string, of: Plain['of']): Metric => ({
    metric,
    unit,
    scope,
    windowed: false,
    sentence,
    description,
    of,
  })

type Flag = boolean | undefined
type FlagSource = (view: View, subject: Subject) => Flag

const flag =
  (scope: AlertMetric['scope']) =>
  (metric: string, sentence: OfFlag, off: OfFlag, description: string, of: FlagSource): Metric => ({
    metric,
    unit: 'flag',
    scope,
    windowed: false,
    sentence,
    off,
    description,
    of: (view, subject) => flagOf(of(view, subject)),
  })

const flagOf = (value: Flag): number | undefined => (value === undefined ? undefined : Number(value))

const [server, inNamespace] = [plain('server'), plain('namespace')]

const quantile = (name: string, q: number, sentence: Sentence, description: string) =>
  windowed(`latency.${name}`, 'ms', sentence, description, (window) => window.quantileMs(q))

const disk = (name: string, unit: Unit, sentence: Sentence, description: string, key: keyof DiskLoad) =>
  plain('disk')(`disk.${name}`, unit, sentence, description, ({ frame }, subject) => {
    const load = frame.devices
      .find(({ namespace }) => namespace === subject.namespace)
      ?.disks.find(({ path }) => path === subject.disk)
    const value = load?.[key]
    return typeof value === 'number' ? value : undefined
  })

const factOf = ({ facts }: View, { namespace }: Subject): NamespaceFacts | undefined =>
  facts?.namespaces.find(({ name }) => name === namespace)
const percentUsed = (free: number, total: number): number | undefined =>
  total === 0 ? undefined : (1 - free / total) * 100

export const metrics: readonly Metric[] = [
  quantile(
    'p50',
    0.5,
    say('the median latency'),
    'median of the latency. No data with fewer than 20 operations in the window.',
  ),
  quantile(
    'p90',
    0.9,
    say('the p90 latency'),
    'p90 of the latency. No data with fewer than 100 operations in the window.',
  ),
  quantile(
    'p99',
    0.99,
    say('the p99 latency'),
    'p99 of the latency. No data with fewer than 1,000 operations in the window.',
  ),
  quantile(
    'p999',
    0.999,
    say('the p99.9 latency'),
    'p99.9 of the latency. No data with fewer than 10,000 operations in the window.',
  ),
  windowed('latency.mean', 'ms', say('the mean latency'), 'Mean of the latency.', (window) => window.meanMs()),
  windowed('latency.max', 'ms', say('the longest latency'), 'Longest latency.', (window) => window.maxMs()),
  windowed('operations', 'per second', say('the throughput'), 'Operations per second.', (window) => window.perSecond()),
  windowed('errors', 'per second', say('the error rate'), 'Failed operations per second.', (window) =>
    window.errorsPerSecond(),
  ),
  windowed(
    'errors.share',
    'percent',
    say('the share of failed operations'),
    'Share of operations that failed.',
    (window) => window.errorPercent(),
  ),
  inNamespace(
    'namespace.records',
    'count',
    say('the number of records'),
    'Records.',
    ({ frame }, { namespace }) => frame.sizes.find((size) => size.namespace === namespace)?.records,
  ),
  inNamespace(
    'namespace.bytes',
    'bytes',
    say('the stored data'),
    'Stored data.',
    ({ frame }, { namespace }) => frame.sizes.find((size) => size.namespace === namespace)?.bytes,
  ),
  inNamespace(
    'namespace.usedPercent',
    'percent',
    say('the used share of the capacity'),
    'Used share of its capacity. No data without a capacity.',
    (view, subject) => factOf(view, subject)?.usedPercent,
  ),
  flag('namespace')(
    'namespace.failed',
    (whose) => say('{whose} failed, or refuses writes after a failure', { whose }),
    (whose) => say('{whose} works', { whose }),
    '1 if it failed or refuses writes after a failure.',
    (view, subject) => factOf(view, subject)?.failed,
  ),
  flag('namespace')(
    'namespace.writesStopped',
    (whose) => say('{whose} refuses writes that add data', { whose }),
    (whose) => say('{whose} takes writes that add data', { whose }),
    '1 if writes that add data are refused.',
    (view, subject) => factOf(view, subject)?.writesStopped,
  ),
  inNamespace(
    'namespace.flushQueueBytes',
    'bytes',
    say('the data that waits for stable storage'),
    'Data that waits for stable storage.',
    ({ frame }, { namespace }) => frame.devices.find((load) => load.namespace === namespace)?.flushQueueBytes,
  ),
  disk('busyPercent', 'percent', say('the busy time'), 'Share of the time with an operation in flight.', 'busyPercent'),
  disk('queueDepth', 'count', say('the queue depth'), 'Average operations in flight.', 'queueDepth'),
  disk('readLatency', 'ms', say('the read latency'), 'Average latency of reads.', 'readLatencyMs'),
  disk('writeLatency', 'ms', say('the write latency'), 'Average latency of writes.', 'writeLatencyMs'),
  disk('syncLatency', 'ms', say('the sync latency'), 'Average latency of syncs.', 'syncLatencyMs'),
  server(
    'process.cpuPercent',
    'percent',
    say('the CPU use'),
    'CPU use, in percent of one core.',
    ({ frame }) => frame.process.cpuPercent,
  ),
  server(
    'process.residentBytes',
    'bytes',
    say('the resident memory'),
    'Resident memory.',
    ({ frame }) => frame.process.residentBytes,
  ),
  server(
    'memory.total',
    'bytes',
    say('the memory of the engine'),
    'Memory of the engine.',
    ({ frame }) => frame.memory?.total,
  ),
  server(
    'memory.sharePercent',
    'percent',
    say('the used share of the memory of namespaces'),
    'Used share of `TESSERA_MEMORY_BYTES`.',
    ({ facts }) => facts?.memorySharePercent,
  ),
  server(
    'memory.requestPercent',
    'percent',
    say('the used share of the memory of requests'),
    'Used share of `TESSERA_REQUEST_BYTES`.',
    ({ facts }) => facts?.requestMemoryPercent,
  ),
  server(
    'dataDisk.usedPercent',
    'percent',
    say('the used share of the disk of the data directory'),
    'Used share of the disk of the data directory.',
    ({ facts }) => facts && percentUsed(facts.diskFreeBytes, facts.diskTotalBytes),
  ),
  server(
    'dataDisk.freeBytes',
    'bytes',
    say('the free space of the data directory'),
    'Free space on the disk of the data directory.',
    ({ facts }) => facts?.diskFreeBytes,
  ),
  flag('server')(
    'dataDirectory.failed',
    () => say('the data directory takes no writes'),
    () => say('the data directory takes writes'),
    '1 if the data directory takes no writes.',
    ({ facts }) => facts?.dataDirectoryFailed,
  ),
  flag('server')(
    'history.failed',
    () => say('the history of metrics cannot be written'),
    () => say('the history of metrics is written'),
    '1 if the history of metrics cannot be written.',
    ({ facts }) => facts?.historyFailed,
  ),
  server(
    'gateway.loopDelay',
    'ms',
    say('the delay of the event loop'),
    '99th percentile of the delay of the event loop.',
    ({ gateway }) => gateway.loopDelay.p99Ms,
  ),
  server(
    'gateway.refusedPercent',
    'percent',
    say('the share of refused requests'),
    'Share of data requests refused because of overload.',
    ({ gateway }) => gateway.refusedShare * 100,
  ),
]

const byName = new Map(metrics.map((metric) => [metric.metric, metric]))

export const metricOf = (name: string): Metric | undefined => byName.get(name)
