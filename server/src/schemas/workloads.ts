// Runs of the load generator.
import { type Static, Type } from 'typebox'
import { JobState } from './jobs.js'
import { page } from './pages.js'
import { Count, Timestamp } from './quantities.js'
import { choice, Name } from './words.js'

/** Most runs that are compared. */
export const COMPARED_MAX = 6

const EXACT = Number.MAX_SAFE_INTEGER
const percent = Type.Number({ description: 'percent' })
const ms = Type.Number({ description: 'milliseconds' })

export const WorkloadSpec = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'what people call it' })),
    namespace: Name,
    set: Type.Optional(Name),
    workload: Type.Optional(
      Type.String({
        pattern:
          '^(I|RU,[0-9]{1,3}|SIZE|ITERATE(,[1-9][0-9]{0,4}(,keys)?)?|YCSB,([A-Fa-f]|LOAD|load|(read|update|insert|scan|rmw):[0-9]{1,3}(,(read|update|insert|scan|rmw):[0-9]{1,3}){0,4}))$',
        description:
          'I inserts every key once; RU,95 reads in 95% of the operations and writes in the others (the default). ' +
          'SIZE asks how many records the namespace has; ITERATE copies every one out, in batches of 4096, ' +
          'ITERATE,100 of 100 (65,536 at most), ITERATE,100,keys the keys alone. ' +
          'YCSB,LOAD and YCSB,A to YCSB,F are those of YCSB, YCSB,read:90,rmw:10 is a mix of its operations; ' +
          'then the set is usertable, and 10 bins of 100 bytes of text are the default',
      }),
    ),
    object: Type.Optional(
      Type.String({
        pattern: '^(I|[SB]:[0-9]{1,7})(,(I|[SB]:[0-9]{1,7})){0,63}$',
        description: 'what is in the bins: I, S:bytes, B:bytes, or some of them with commas; default B:1000',
      }),
    ),
    bins: Type.Optional(Type.Integer({ minimum: 1, maximum: 4096, description: 'bins of a record; default 1' })),
    keys: Type.Optional(
      Type.Integer({ minimum: 1, maximum: EXACT, description: 'keys that there are; default 100,000' }),
    ),
    firstKey: Type.Optional(Type.Integer({ minimum: 0, maximum: EXACT, description: 'the lowest key; default 0' })),
    keyLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 63, description: 'digits of a key; default 10' })),
    threads: Type.Optional(Type.Integer({ minimum: 1, maximum: 1024, description: 'worker threads; default 16' })),
    window: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 256,
        description: 'reads of a device that each thread keeps in flight, 8192 at most together; default 1',
      }),
    ),
    targetTps: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000_000,
        description:
          'operations a second, each due at its own time: latency counts from then. Absent: as fast as it goes',
      }),
    ),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3_600_000,
        description: 'operations that take longer count as timeouts; 0 = none',
      }),
    ),
    durationSeconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3600, description: 'longest time; default 10 where operations are absent' }),
    ),
    operations: Type.Optional(Type.Integer({ minimum: 1, maximum: EXACT, description: 'operations of a mix' })),
    distribution: Type.Optional(
      choice(['zipfian', 'latest', 'uniform', 'hotspot', 'exponential'], {
        description: "which records a YCSB workload is of; absent: as the workload's own file has it",
      }),
    ),
    scanLength: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, description: 'most records of a scan of YCSB; default 100' }),
    ),
    fill: Type.Optional(Type.Boolean({ description: 'write every key once before the run, unmeasured' })),
    seed: Type.Optional(
      Type.Integer({ minimum: 0, maximum: EXACT, description: 'the same seed gives the same operations; default 1' }),
    ),
  },
  {
    title: 'WorkloadSpec',
    additionalProperties: false,
    examples: [{ namespace: 'demo', workload: 'RU,95', keys: 10_000, fill: true, durationSeconds: 5 }],
  },
)
export type WorkloadSpec = Static<typeof WorkloadSpec>

const OperationSummary = Type.Object(
  {
    count: Count,
    tps: Type.Number(),
    meanMs: ms,
    stdDevMs: ms,
    p50Ms: ms,
    p90Ms: ms,
    p99Ms: ms,
    p999Ms: ms,
    maxMs: ms,
    under1msPct: percent,
    under2msPct: percent,
    under8msPct: percent,
    under64msPct: percent,
    serviceMeanMs: ms,
    serviceP99Ms: ms,
  },
  {
    title: 'WorkloadOperationSummary',
    description: 'latency from when operations were due; service time from when they began',
  },
)

const us = Type.Number({ description: 'microseconds' })

const KindSummary = Type.Object(
  {
    kind: choice(['read', 'write', 'insert', 'update', 'scan', 'readModifyWrite', 'size', 'iterate']),
    count: Count,
    tps: Type.Number(),
    avgUs: us,
    minUs: us,
    maxUs: us,
    p95Us: us,
    p99Us: us,
  },
  { title: 'WorkloadKindSummary', description: 'latency from when operations were due' },
)

const WorkloadResult = Type.Object(
  {
    elapsedSeconds: Type.Number(),
    operations: Count,
    tps: Type.Number(),
    read: OperationSummary,
    write: OperationSummary,
    kinds: Type.Optional(
      Type.Array(KindSummary, {
        description:
          'by kind of operation, those that there were; scans, sizes and iterations are among the reads, what changes records among the writes',
      }),
    ),
    errors: Type.Record(Type.String(), Count, { description: 'failed operations by code; they are in no latency' }),
    errorMessage: Type.Optional(Type.String()),
    timeouts: Count,
    missed: Type.Integer({ minimum: 0, description: 'operations that were due and never began' }),
    cpuMicrosPerOperation: Type.Number({ description: 'CPU time of the whole server' }),
    cpuPct: Type.Number({ description: '100 is one core' }),
  },
  { title: 'WorkloadResult' },
)

const OperationFrame = Type.Object(
  {
    count: Count,
    tps: Type.Number(),
    under1msPct: percent,
    under2msPct: percent,
    under8msPct: percent,
    meanMs: ms,
    p50Ms: ms,
    p99Ms: ms,
    maxMs: ms,
  },
  { title: 'WorkloadOperationFrame' },
)

const WorkloadFrame = Type.Object(
  {
    atSeconds: Type.Number({ description: 'its end, from the beginning of the run' }),
    seconds: Type.Number({ description: 'its length' }),
    tps: Type.Number(),
    read: OperationFrame,
    write: OperationFrame,
    errors: Count,
    timeouts: Count,
  },
  { title: 'WorkloadFrame' },
)

const run = {
  id: Type.String({ description: 'also the id of its job' }),
  spec: WorkloadSpec,
  state: JobState,
  createdAt: Timestamp,
  startedAt: Type.Optional(Timestamp),
  endedAt: Type.Optional(Timestamp),
  error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  result: Type.Optional(WorkloadResult),
}

export const Workload = Type.Object(run, { title: 'Workload' })
export type Workload = Static<typeof Workload>

export const WorkloadPage = page(Workload, 'WorkloadPage')

export const WorkloadRun = Type.Object({ ...run, frames: Type.Array(WorkloadFrame) }, { title: 'WorkloadRun' })
export type WorkloadRun = Static<typeof WorkloadRun>

export const CompareQuery = Type.Object(
  {
    // Optional here only so that an unknown parameter is what is complained of first.
    ids: Type.Optional(
      Type.String({
        pattern: '^[0-9A-Za-z]{1,64}(,[0-9A-Za-z]{1,64}){1,5}$',
        description: `needed: two to ${COMPARED_MAX} runs with commas between; the first is what the others are compared with`,
      }),
    ),
  },
  { additionalProperties: false },
)

export const Comparison = Type.Object(
  {
    runs: Type.Array(Workload),
    figures: Type.Array(
      Type.Object({
        figure: choice([
          'tps',
          'readMean',
          'readP50',
          'readP99',
          'readUnder1ms',
          'writeMean',
          'writeP50',
          'writeP99',
          'writeUnder1ms',
        ]),
        unit: Type.String(),
        higherIsBetter: Type.Boolean(),
        runs: Type.Array(
          Type.Object({
            seconds: Type.Integer({ minimum: 0, description: 'seconds that were compared' }),
            mean: Type.Number({ description: 'of the seconds' }),
            low: Type.Number({ description: 'lower bound of the mean, 99%' }),
            high: Type.Number(),
            difference: Type.Number({ description: 'to the first run' }),
            differenceLow: Type.Number(),
            differenceHigh: Type.Number(),
            verdict: choice(['baseline', 'no-difference', 'better', 'worse', 'too-few-seconds']),
          }),
        ),
      }),
    ),
  },
  { title: 'WorkloadComparison' },
)
export type Comparison = Static<typeof Comparison>
