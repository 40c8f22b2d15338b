// The lab: published measurements, repeated.
import { type Static, Type } from 'typebox'
import { page } from './pages.js'
import { Bytes, Count, Timestamp } from './quantities.js'
import { choice } from './words.js'

export const Scale = choice(['quick', 'full'], {
  description: 'quick: about 45 s on two cores with 4 GB, page-size about 90 s; full: sized for 24 GB, 3 to 15 minutes',
})
export type Scale = Static<typeof Scale>

const Cell = Type.Union([Type.String(), Type.Number()])

export const LabRow = Type.Record(Type.String(), Cell, {
  description:
    'a figure or a word by name; of tps among others steadyTps (0: no rate held), steadyAttempts: the attempts that the rate took, steadySeconds: the runs of the last one together, of which the figures at that rate are; ' +
    'of set-index among others elapsedMs: the median of its scans, outcome (stopped: a scan by that plan would have taken longer than elapsedMs); ' +
    "of page-size throughput: of the phase, operationsPerSecond: of one kind of its operations, with that kind's avgUs, minUs, p95Us and p99Us; " +
    'of segments opsPerSecond: of what per says, ratio: segmented over flat, the median of so many pairs, low and high: their quartiles',
})
export type LabRow = Static<typeof LabRow>

const Published = Type.Object(
  {
    columns: Type.Array(Type.Object({ key: Type.String(), label: Type.String() })),
    rows: Type.Array(LabRow),
    statements: Type.Optional(
      Type.Array(
        Type.Object({
          says: Type.String(),
          claims: Type.Array(Type.String()),
          judged: Type.Optional(
            Type.Boolean({
              description: 'false: its claims say something else, so that only their values stand beside it',
            }),
          ),
        }),
        { description: 'what was published in words, each with the ids of the claims that a run makes of it' },
      ),
    ),
    note: Type.String(),
  },
  { title: 'LabPublished' },
)
export type Published = Static<typeof Published>

const Claim = Type.Object(
  {
    id: Type.String(),
    says: Type.String(),
    value: Type.Number({ description: "computed from this run's rows" }),
    unit: Type.String(),
    bound: Type.Number(),
    holds: Type.Boolean(),
  },
  { title: 'LabClaim' },
)
export type Claim = Static<typeof Claim>

export const LabExperiment = Type.Object(
  { id: Type.String(), title: Type.String(), repeats: Type.String(), published: Published },
  { title: 'LabExperiment' },
)
export type LabExperiment = Static<typeof LabExperiment>

/** The object that the command prints. */
export const LabReport = Type.Object(
  {
    experiment: Type.String(),
    scale: Scale,
    startedAt: Timestamp,
    machine: Type.Object({ cpus: Count, memoryBytes: Bytes, device: Type.String() }),
    parameters: Type.Record(Type.String(), Type.Unknown()),
    rows: Type.Array(LabRow),
    claims: Type.Array(Claim),
    notes: Type.Optional(
      Type.Array(Type.String(), { description: 'what kept the run from measuring what it should; absent = nothing' }),
    ),
  },
  { title: 'LabReport' },
)
export type LabReport = Static<typeof LabReport>

export const LabRun = Type.Object(
  {
    id: Type.String(),
    experiment: Type.String(),
    scale: Scale,
    state: choice(['running', 'done', 'failed', 'aborted']),
    startedAt: Timestamp,
    endedAt: Type.Optional(Timestamp),
    progress: Type.Object({ says: Type.String(), done: Type.Number({ description: 'of 1' }) }),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    report: Type.Optional(LabReport),
  },
  { title: 'LabRun' },
)
export type LabRun = Static<typeof LabRun>

export const LabRunPage = page(LabRun, 'LabRunPage')

export const Lab = Type.Object({ experiments: Type.Array(LabExperiment) }, { title: 'Lab' })

export const LabRequest = Type.Object(
  { experiment: Type.String({ minLength: 1, maxLength: 64 }), scale: Type.Optional(Scale) },
  { title: 'LabRequest', additionalProperties: false, examples: [{ experiment: 'tps', scale: 'quick' }] },
)
export type LabRequest = Static<typeof LabRequest>
