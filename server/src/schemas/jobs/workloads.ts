// Runs of the load generator.
import { type Static, Type } from 'typebox'
import { JobState } from './jobs.js'
import { page } from '../pages.js'
import { figure, frame, latencyStep, workload } from '../examples/workloads.js'
import { count, flag, number, seconds, text, timestamp } from '../quantities.js'
import { failure } from '../failure.js'
import { histogram } from '../server/metrics.js'
import { choice, NamespaceName, SetName, Title } from '../words.js'
import { owner } from '../kept.js'

/** Most runs that are compared. */
export const COMPARED_MAX = 6

const EXACT = Number.MAX_SAFE_INTEGER
const under = (limit: string) => number(`Share of operations that took less than ${limit}, in percent.`)
const ms = (what: string) => number(`${what}, in milliseconds.`)
const tps = number('Operations per second.')

export const WorkloadSpec = Type.Object(
  {
    name: Type.Optional(Title(200)),
    namespace: NamespaceName,
    set: Type.Optional({ ...SetName, description: 'Set to use. Default: `bench`; for YCSB, `usertable`.' }),
    workload: Type.Optional(
      Type.String({
        pattern:
          '^(I|RU,[0-9]{1,3}|SIZE|ITERATE(,[1-9][0-9]{0,4}(,keys)?)?|YCSB,([A-Fa-f]|LOAD|load|(read|update|insert|scan|rmw):[0-9]{1,3}(,(read|update|insert|scan|rmw):[0-9]{1,3}){0,4}))$',
        description:
          'What to run. `I` inserts every key once. `RU,95` reads in 95% of the operations and writes in the others. ' +
          '`SIZE` counts the records of the namespace. `ITERATE` copies every record out in batches of 4096; ' +
          '`ITERATE,100` in batches of 100 (65,536 at most), `ITERATE,100,keys` only the keys. ' +
          '`YCSB,LOAD` and `YCSB,A` to `YCSB,F` are those of YCSB; `YCSB,read:90,rmw:10` mixes its operations. ' +
          'YCSB uses the set `usertable` and, by default, 10 bins of 100 bytes of text. Default: `RU,95`.',
      }),
    ),
    object: Type.Optional(
      Type.String({
        pattern: '^(I|[SB]:[0-9]{1,7})(,(I|[SB]:[0-9]{1,7})){0,63}$',
        description:
          'Content of the bins: `I` (an integer), `S:<bytes>` (text), `B:<bytes>`, or several with commas. Default: `B:1000`.',
      }),
    ),
    bins: Type.Optional(Type.Integer({ minimum: 1, maximum: 4096, description: 'Bins per record. Default: 1.' })),
    keys: Type.Optional(Type.Integer({ minimum: 1, maximum: EXACT, description: 'Number of keys. Default: 100,000.' })),
    firstKey: Type.Optional(Type.Integer({ minimum: 0, maximum: EXACT, description: 'Lowest key. Default: 0.' })),
    keyLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 63, description: 'Digits per key. Default: 10.' })),
    threads: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1024, description: 'Worker threads, 1 to 1024. Default: 16.' }),
    ),
    window: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 256,
        description:
          'Device reads that each thread keeps in flight; at most 8192 for all threads together. Default: 1.',
      }),
    ),
    targetTps: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000_000,
        description:
          'Operations per second. Each is due at a fixed time, and its latency counts from then. Unset: as fast as possible.',
      }),
    ),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3_600_000,
        description: 'Operations that take longer count as timeouts, in milliseconds. 0: no timeout. Default: 0.',
      }),
    ),
    durationSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3600,
        description: 'Longest duration, in seconds. Default: 10, if `operations` is unset.',
      }),
    ),
    operations: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: EXACT,
        description: 'Operations to run. Unset: until the duration has passed.',
      }),
    ),
    distribution: Type.Optional(
      choice(['zipfian', 'latest', 'uniform', 'hotspot', 'exponential'], {
        description: 'YCSB: how keys are chosen. Unset: as the workload of YCSB defines it.',
      }),
    ),
    scanLength: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, description: 'YCSB: most records per scan. Default: 100.' }),
    ),
    fill: Type.Optional(
      Type.Boolean({ description: 'Write every key once before the run, unmeasured. Default: false.' }),
    ),
    seed: Type.Optional(
      Type.Integer({ minimum: 0, maximum: EXACT, description: 'The same seed gives the same operations. Default: 1.' }),
    ),
  },
  {
    title: 'WorkloadSpec',
    description: 'The run of the load generator.',
    additionalProperties: false,
    examples: [{ namespace: 'shop', workload: 'RU,95', keys: 10_000, fill: true, durationSeconds: 5 }],
  },
)
export type WorkloadSpec = Static<typeof WorkloadSpec>

const operations = count('Operations.')

const OperationSummary = Type.Object(
  {
    count: operations,
    tps,
    meanMs: ms('Mean latency'),
    stdDevMs: ms('Standard deviation of latency'),
    p50Ms: ms('Median latency'),
    p90Ms: ms('90th percentile of latency'),
    p99Ms: ms('99th percentile of latency'),
    p999Ms: ms('99.9th percentile of latency'),
    maxMs: ms('Longest latency'),
    under1msPct: under('1 ms'),
    under2msPct: under('2 ms'),
    under8msPct: under('8 ms'),
    under64msPct: under('64 ms'),
    serviceMeanMs: ms('Mean service time'),
    serviceP99Ms: ms('99th percentile of service time'),
  },
  {
    title: 'WorkloadOperationSummary',
    description:
      'Reads or writes of a run. Latency counts from when an operation was due, service time from its start.',
  },
)

const us = (what: string) => number(`${what}, in microseconds.`)

const KindSummary = Type.Object(
  {
    kind: choice(['read', 'write', 'insert', 'update', 'scan', 'readModifyWrite', 'size', 'iterate'], {
      description: 'Kind of operation.',
    }),
    count: operations,
    tps,
    avgUs: us('Mean latency'),
    minUs: us('Shortest latency'),
    maxUs: us('Longest latency'),
    p95Us: us('95th percentile of latency'),
    p99Us: us('99th percentile of latency'),
  },
  {
    title: 'WorkloadKindSummary',
    description: 'Operations of one kind. Latency counts from when an operation was due.',
  },
)

const WorkloadResult = Type.Object(
  {
    elapsedSeconds: seconds('Duration'),
    operations,
    tps,
    read: OperationSummary,
    write: OperationSummary,
    kinds: Type.Optional(
      Type.Array(KindSummary, {
        description:
          'Figures by kind of operation. `read` includes scans, sizes and iterations; `write` includes everything that changes records.',
      }),
    ),
    errors: Type.Record(Type.String(), count('Failed operations.'), {
      description: 'Failed operations by error code. They count in no latency.',
    }),
    errorMessage: Type.Optional(text('Message of a failed operation.')),
    timeouts: count('Operations that took longer than `timeoutMs`.'),
    missed: Type.Integer({ minimum: 0, description: 'Operations that were due and never started.' }),
    cpuMicrosPerOperation: number('CPU time of the whole server per operation, in microseconds.'),
    cpuPct: number('CPU use, in percent of one core.'),
  },
  { title: 'WorkloadResult', description: 'What the run measured.' },
)

const OperationFrame = Type.Object(
  {
    count: operations,
    tps,
    within1ms: Type.Optional(count('Operations that took at most 1 ms. Runs of earlier versions do not have it.')),
    under1msPct: under('1 ms'),
    under2msPct: under('2 ms'),
    under8msPct: under('8 ms'),
    meanMs: ms('Mean latency'),
    p50Ms: ms('Median latency'),
    p99Ms: ms('99th percentile of latency'),
    maxMs: ms('Longest latency'),
  },
  { title: 'WorkloadOperationFrame', description: 'Reads or writes of one interval.' },
)

const WorkloadFrame = Type.Object(
  {
    atSeconds: seconds('End of the interval, from the beginning of the run'),
    seconds: seconds('Length of the interval'),
    tps,
    read: OperationFrame,
    write: OperationFrame,
    errors: count('Failed operations.'),
    timeouts: count('Operations that took longer than `timeoutMs`.'),
  },
  { title: 'WorkloadFrame', description: 'One interval of a run, about a second.' },
)

const run = {
  id: text('Id of the run, and of its job.'),
  ...owner,
  spec: WorkloadSpec,
  state: JobState,
  createdAt: timestamp('When it was created'),
  startedAt: Type.Optional(timestamp('When it started')),
  endedAt: Type.Optional(timestamp('When it ended')),
  error: Type.Optional(failure('Why it failed.')),
  result: Type.Optional(WorkloadResult),
  unsaved: Type.Optional(
    text('Why the end of the run is not on disk yet. The server tries again every 10 s; a kill would lose it.'),
  ),
}

export const Workload = Type.Object(run, {
  title: 'Workload',
  description: 'A run of the load generator.',
  examples: [workload],
})
export type Workload = Static<typeof Workload>

export const WorkloadPage = page(Workload, 'WorkloadPage', 'runs')

export const WorkloadRun = Type.Object(
  { ...run, frames: Type.Array(WorkloadFrame, { description: 'The intervals so far.' }) },
  {
    title: 'WorkloadRun',
    description: 'A run of the load generator with its intervals.',
    examples: [{ ...workload, frames: [frame] }],
  },
)
export type WorkloadRun = Static<typeof WorkloadRun>

const Latencies = Type.Object(histogram, {
  title: 'WorkloadHistogram',
  description: 'Latency of reads or writes of a run.',
})

export const WorkloadLatency = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        atSeconds: seconds('End of the step, from the beginning of the run'),
        seconds: seconds('Length of the step'),
        read: Latencies,
        write: Latencies,
      }),
      { description: 'The steps, oldest first.' },
    ),
  },
  {
    title: 'WorkloadLatency',
    description: 'Histograms of a run of the load generator.',
    examples: [{ items: [latencyStep] }],
  },
)
export type WorkloadLatency = Static<typeof WorkloadLatency>

export const CompareQuery = Type.Object(
  {
    // Optional in the schema, so that an unknown parameter is reported first.
    ids: Type.Optional(
      Type.String({
        pattern: '^[0-9A-Za-z]{1,64}(,[0-9A-Za-z]{1,64}){1,5}$',
        description: `Required. Comma-separated ids of two to ${COMPARED_MAX} runs. The others are compared with the first.`,
        examples: ['001m87358wc00,001m87362f100'],
      }),
    ),
  },
  { additionalProperties: false },
)

const UNBOUND = 'Unset: too few operations for this percentile.'

export const Comparison = Type.Object(
  {
    runs: Type.Array(Workload, { description: 'The compared runs.' }),
    figures: Type.Array(
      Type.Object({
        figure: choice(
          [
            'tps',
            'readMean',
            'readP50',
            'readP90',
            'readP99',
            'readP999',
            'readUnder1ms',
            'writeMean',
            'writeP50',
            'writeP90',
            'writeP99',
            'writeP999',
            'writeUnder1ms',
          ],
          { description: 'What is compared. p90 and p99.9 are left out if a run kept no histograms.' },
        ),
        unit: text('Unit of the figure.'),
        higherIsBetter: flag('True if a higher value is better.'),
        source: choice(['histograms', 'seconds'], {
          description:
            'What the figure was made from. `histograms`: the latencies of the whole run, in buckets of at most 6.25%. ' +
            '`seconds`: the mean of its seconds; percentiles too, to 1 µs, if a run kept no histograms.',
        }),
        runs: Type.Array(
          Type.Object({
            seconds: Type.Integer({ minimum: 0, description: 'Seconds that were compared.' }),
            value: number('The figure of the run: a percentile of its operations, or the mean of its seconds.'),
            low: Type.Optional(number(`Lower bound of the value, with 99% confidence. ${UNBOUND}`)),
            high: Type.Optional(number(`Upper bound of the value, with 99% confidence. ${UNBOUND}`)),
            difference: number('Difference to the first run.'),
            differenceLow: Type.Optional(number(`Lower bound of the difference, with 99% confidence. ${UNBOUND}`)),
            differenceHigh: Type.Optional(number(`Upper bound of the difference, with 99% confidence. ${UNBOUND}`)),
            ratio: Type.Optional(
              Type.Object(
                {
                  of: choice(['misses', 'hits'], { description: 'What was counted: the smaller side of the share.' }),
                  value: number('How many times as many, per operation, as in the first run.'),
                  low: number('Lower bound, with 99% confidence.'),
                  high: number('Upper bound, with 99% confidence.'),
                },
                { description: 'Only of shares. Unset: neither run has operations on the smaller side.' },
              ),
            ),
            verdict: choice(['baseline', 'no-difference', 'better', 'worse', 'cannot-tell', 'too-few-seconds'], {
              description:
                'The comparison in one word. `baseline`: the first run. `no-difference`: the whole interval lies within ' +
                '5%; of a percentile from histograms, within 6.25%, the width of a bucket; of a share, its `ratio` lies ' +
                'within 0.8 and 1.25. `cannot-tell`: the seconds vary too much, there are too few operations or misses, ' +
                'or the latencies are too short: below 136 ns in histograms, near 1 µs in seconds.',
            }),
            secondsNeeded: Type.Optional(
              Type.Integer({
                minimum: 0,
                description:
                  'If it cannot tell: how long both runs have to be, in seconds. Of 100 pairs of equal runs of that ' +
                  'length, 95 have the verdict `no-difference`. Unset: no length is known.',
              }),
            ),
          }),
          { description: 'The figure in each run, in their order.' },
        ),
      }),
      { description: 'The compared figures.' },
    ),
  },
  {
    title: 'WorkloadComparison',
    description: 'Runs of the load generator, compared with the first of them.',
    examples: [{ runs: [workload, { ...workload, id: '001m87362f100' }], figures: [figure] }],
  },
)
export type Comparison = Static<typeof Comparison>
