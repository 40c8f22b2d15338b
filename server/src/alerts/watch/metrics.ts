// The metrics that rules can watch: one entry each, with how its value is read.
import type { AlertMetric } from '../../schemas/alerts/rules.js'
import type { DiskLoad } from '../../schemas/namespaces/device.js'
import type { NamespaceFacts, View } from '../source.js'
import type { LatencyWindow } from './latency.js'

/** What an alert is about; both unset: the server. */
export interface Subject {
  namespace?: string
  namespaceId?: string
  disk?: string
}

interface Common {
  metric: string
  unit: AlertMetric['unit']
  description: string
  /** In a sentence: `<words> of shop is 31 ms`; of a flag: `shop <words>`. */
  words: string
  /** The same of a flag that is 0. */
  offWords?: string
}
type Windowed = Common & { scope: 'namespace'; windowed: true; of: (window: LatencyWindow) => number | undefined }
type Plain = Common & {
  scope: AlertMetric['scope']
  windowed: false
  /** Undefined: no data. */
  of: (view: View, subject: Subject) => number | undefined
}
export type Metric = Windowed | Plain

const windowed = (
  metric: string,
  unit: AlertMetric['unit'],
  words: string,
  description: string,
  of: Windowed['of'],
): Metric => ({ metric, unit, scope: 'namespace', windowed: true, words, description, of })

const plain =
  (scope: AlertMetric['scope']) =>
  (metric: string, unit: AlertMetric['unit'], words: string, description: string, of: Plain['of']): Metric => ({
    metric,
    unit,
    scope,
    windowed: false,
    words,
    description,
    of,
  })

type Flag = boolean | undefined
type FlagSource = (view: View, subject: Subject) => Flag

const flag =
  (scope: AlertMetric['scope']) =>
  (metric: string, words: string, offWords: string, description: string, of: FlagSource): Metric => ({
    metric,
    unit: 'flag',
    scope,
    windowed: false,
    words,
    offWords,
    description,
    of: (view, subject) => flagOf(of(view, subject)),
  })

const flagOf = (value: Flag): number | undefined => (value === undefined ? undefined : Number(value))

const [server, inNamespace] = [plain('server'), plain('namespace')]

const quantile = (name: string, q: number, words: string) =>
  windowed(
    `latency.${name}`,
    'ms',
    `the ${words} latency`,
    `${words} of the latency. No data with fewer than ${Math.round(10 / (1 - q)).toLocaleString('en-US')} operations in the window.`,
    (window) => window.quantileMs(q),
  )

const disk = (name: string, unit: AlertMetric['unit'], words: string, description: string, key: keyof DiskLoad) =>
  plain('disk')(`disk.${name}`, unit, words, description, ({ frame }, subject) => {
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
  quantile('p50', 0.5, 'median'),
  quantile('p90', 0.9, 'p90'),
  quantile('p99', 0.99, 'p99'),
  quantile('p999', 0.999, 'p99.9'),
  windowed('latency.mean', 'ms', 'the mean latency', 'Mean of the latency.', (window) => window.meanMs()),
  windowed('latency.max', 'ms', 'the longest latency', 'Longest latency.', (window) => window.maxMs()),
  windowed('operations', 'per second', 'the throughput', 'Operations per second.', (window) => window.perSecond()),
  windowed('errors', 'per second', 'the error rate', 'Failed operations per second.', (window) =>
    window.errorsPerSecond(),
  ),
  windowed('errors.share', 'percent', 'the share of failed operations', 'Share of operations that failed.', (window) =>
    window.errorPercent(),
  ),
  inNamespace(
    'namespace.records',
    'count',
    'the number of records',
    'Records.',
    ({ frame }, { namespace }) => frame.sizes.find((size) => size.namespace === namespace)?.records,
  ),
  inNamespace(
    'namespace.bytes',
    'bytes',
    'the stored data',
    'Stored data.',
    ({ frame }, { namespace }) => frame.sizes.find((size) => size.namespace === namespace)?.bytes,
  ),
  inNamespace(
    'namespace.usedPercent',
    'percent',
    'the used share of the capacity',
    'Used share of its capacity. No data without a capacity.',
    (view, subject) => factOf(view, subject)?.usedPercent,
  ),
  flag('namespace')(
    'namespace.failed',
    'failed, or refuses writes after a failure',
    'works',
    '1 if it failed or refuses writes after a failure.',
    (view, subject) => factOf(view, subject)?.failed,
  ),
  flag('namespace')(
    'namespace.writesStopped',
    'refuses writes that add data',
    'takes writes that add data',
    '1 if writes that add data are refused.',
    (view, subject) => factOf(view, subject)?.writesStopped,
  ),
  inNamespace(
    'namespace.flushQueueBytes',
    'bytes',
    'the data that waits for stable storage',
    'Data that waits for stable storage.',
    ({ frame }, { namespace }) => frame.devices.find((load) => load.namespace === namespace)?.flushQueueBytes,
  ),
  disk('busyPercent', 'percent', 'the busy time', 'Share of the time with an operation in flight.', 'busyPercent'),
  disk('queueDepth', 'count', 'the queue depth', 'Average operations in flight.', 'queueDepth'),
  disk('readLatency', 'ms', 'the read latency', 'Average latency of reads.', 'readLatencyMs'),
  disk('writeLatency', 'ms', 'the write latency', 'Average latency of writes.', 'writeLatencyMs'),
  disk('syncLatency', 'ms', 'the sync latency', 'Average latency of syncs.', 'syncLatencyMs'),
  server(
    'process.cpuPercent',
    'percent',
    'the CPU use',
    'CPU use, in percent of one core.',
    ({ frame }) => frame.process.cpuPercent,
  ),
  server(
    'process.residentBytes',
    'bytes',
    'the resident memory',
    'Resident memory.',
    ({ frame }) => frame.process.residentBytes,
  ),
  server(
    'memory.total',
    'bytes',
    'the memory of the engine',
    'Memory of the engine.',
    ({ frame }) => frame.memory?.total,
  ),
  server(
    'memory.sharePercent',
    'percent',
    'the used share of the memory of namespaces',
    'Used share of `TESSERA_MEMORY_BYTES`.',
    ({ facts }) => facts?.memorySharePercent,
  ),
  server(
    'memory.requestPercent',
    'percent',
    'the used share of the memory of requests',
    'Used share of `TESSERA_REQUEST_BYTES`.',
    ({ facts }) => facts?.requestMemoryPercent,
  ),
  server(
    'dataDisk.usedPercent',
    'percent',
    'the used share of the disk of the data directory',
    'Used share of the disk of the data directory.',
    ({ facts }) => facts && percentUsed(facts.diskFreeBytes, facts.diskTotalBytes),
  ),
  server(
    'dataDisk.freeBytes',
    'bytes',
    'the free space of the data directory',
    'Free space on the disk of the data directory.',
    ({ facts }) => facts?.diskFreeBytes,
  ),
  flag('server')(
    'dataDirectory.failed',
    'the data directory takes no writes',
    'the data directory takes writes',
    '1 if the data directory takes no writes.',
    ({ facts }) => facts?.dataDirectoryFailed,
  ),
  flag('server')(
    'history.failed',
    'the history of metrics cannot be written',
    'the history of metrics is written',
    '1 if the history of metrics cannot be written.',
    ({ facts }) => facts?.historyFailed,
  ),
  server(
    'gateway.loopDelay',
    'ms',
    'the delay of the event loop',
    '99th percentile of the delay of the event loop.',
    ({ gateway }) => gateway.loopDelay.p99Ms,
  ),
  server(
    'gateway.refusedPercent',
    'percent',
    'the share of refused requests',
    'Share of data requests refused because of overload.',
    ({ gateway }) => gateway.refusedShare * 100,
  ),
]

const byName = new Map(metrics.map((metric) => [metric.metric, metric]))

export const metricOf = (name: string): Metric | undefined => byName.get(name)
