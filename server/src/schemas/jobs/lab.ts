// The lab: published measurements, repeated.
import { type Static, Type } from 'typebox'
import { labExperiment } from '../examples/lab.js'
import { page } from '../pages.js'
import { bytes, count, flag, number, text, timestamp } from '../quantities.js'
import { failure } from '../failure.js'
import { Said } from '../sentence.js'
import { choice } from '../words.js'

export const Scale = choice(['smoke', 'quick', 'full'], {
  description:
    'Size of the run. `smoke`: some seconds, to see that it runs; its figures say nothing. ' +
    '`quick`: about 45 s on two cores with 4 GB, `page-size` about 90 s. ' +
    '`full`: 3 to 15 minutes, sized for 24 GB. Default: `quick`.',
})
export type Scale = Static<typeof Scale>

const Cell = Type.Union([Type.String(), Type.Number()])

export const LabRow = Type.Record(Type.String(), Cell, {
  description:
    'Figures and words by name; they depend on the experiment. ' +
    '`tps`: `steadyTps` is the highest rate that held (0: none), `steadyAttempts` the attempts it took, ' +
    '`steadySeconds` the length of the last one. ' +
    '`set-index`: `elapsedMs` is the median of the scans; `outcome` is `stopped` if a plan would have taken longer. ' +
    '`page-size`: `throughput` is that of the phase, `operationsPerSecond`, `avgUs`, `minUs`, `p95Us` and `p99Us` ' +
    'are those of one kind of operation. ' +
    '`segments`: `ratio` is segmented over flat, the median of pairs; `low` and `high` are its quartiles.',
})
export type LabRow = Static<typeof LabRow>

const Published = Type.Object(
  {
    columns: Type.Array(
      Type.Object({ key: text('Name of the figure in `rows`.'), label: text('Heading of the column.') }),
      { description: 'Columns to show.' },
    ),
    rows: Type.Array(LabRow, { description: 'The published figures.' }),
    statements: Type.Optional(
      Type.Array(
        Type.Object({
          says: text('The published statement.'),
          claims: Type.Array(Type.String(), { description: 'Ids of the claims that a run checks.' }),
          judged: Type.Optional(
            flag('false: the claims measure something else, so only their values are shown beside it. Default: true.'),
          ),
        }),
        { description: 'What was published in words.' },
      ),
    ),
    note: text('How the figures were measured.'),
  },
  { title: 'LabPublished', description: 'What was published.' },
)
export type Published = Static<typeof Published>

const Claim = Type.Object(
  {
    id: text('Id of the claim.'),
    says: text('What is claimed.'),
    said: Said,
    value: number("The value, computed from this run's rows."),
    unit: text('Unit of the value.'),
    bound: number('The bound the value is compared with.'),
    holds: flag('True if the claim holds in this run.'),
  },
  { title: 'LabClaim', description: 'A statement that the run checks.' },
)
export type Claim = Static<typeof Claim>

export const LabExperiment = Type.Object(
  {
    id: text('Id of the experiment.'),
    title: text('Title of the experiment.'),
    repeats: text('The publication it repeats.'),
    published: Published,
  },
  { title: 'LabExperiment', description: 'A published measurement that can be repeated here.' },
)
export type LabExperiment = Static<typeof LabExperiment>

/** The object that the command prints. */
export const LabReport = Type.Object(
  {
    experiment: text('Id of the experiment.'),
    scale: Scale,
    startedAt: timestamp('When the run started'),
    machine: Type.Object(
      {
        cpus: count('CPU cores.'),
        memoryBytes: bytes('Memory'),
        device: text('Where the data lies.'),
      },
      { description: 'The machine of this run.' },
    ),
    parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'Parameters of the run, by name.' }),
    rows: Type.Array(LabRow, { description: 'The measured figures.' }),
    claims: Type.Array(Claim, { description: 'The claims, checked against these figures.' }),
    notes: Type.Optional(
      Type.Array(Type.String(), { description: 'What disturbed the measurement. Unset if nothing did.' }),
    ),
  },
  { title: 'LabReport', description: 'What a run measured.' },
)
export type LabReport = Static<typeof LabReport>

export const LabRun = Type.Object(
  {
    id: text('Id of the run.'),
    experiment: text('Id of the experiment.'),
    scale: Scale,
    state: choice(['running', 'done', 'failed', 'aborted'], { description: 'State of the run.' }),
    startedAt: timestamp('When it started'),
    endedAt: Type.Optional(timestamp('When it ended')),
    progress: Type.Object(
      {
        says: text('What it does now.'),
        said: Said,
        done: Type.Number({ description: 'Share of the work done, 0 to 1.' }),
      },
      { description: 'How far it is.' },
    ),
    error: Type.Optional(failure('Why it failed.')),
    report: Type.Optional(LabReport),
  },
  {
    title: 'LabRun',
    description: 'A run of an experiment.',
    examples: [
      {
        id: '0mwuurgcxcbe8f5',
        experiment: 'tps',
        scale: 'quick',
        state: 'running',
        startedAt: '2026-01-31T12:00:00.000Z',
        progress: { says: 'starting', done: 0 },
      },
    ],
  },
)
export type LabRun = Static<typeof LabRun>

export const LabRunPage = page(LabRun, 'LabRunPage', 'runs')

export const Lab = Type.Object(
  { experiments: Type.Array(LabExperiment, { description: 'All experiments.' }) },
  { title: 'Lab', description: 'The experiments of the lab.', examples: [{ experiments: [labExperiment] }] },
)

export const LabRequest = Type.Object(
  {
    experiment: Type.String({ minLength: 1, maxLength: 64, description: 'Id of the experiment.' }),
    scale: Type.Optional(Scale),
  },
  {
    title: 'LabRequest',
    description: 'The experiment to run.',
    additionalProperties: false,
    examples: [{ experiment: 'tps', scale: 'quick' }],
  },
)
export type LabRequest = Static<typeof LabRequest>
