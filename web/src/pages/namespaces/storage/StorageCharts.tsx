import { useMemo } from 'react'
import type { Checkpoint } from '../../../api/types'
import { ChartCard } from '../../../charts/card/ChartCard'
import { ChartGroup } from '../../../charts/card/ChartGroup'
import type { FormatName } from '../../../charts/spec/formats'
import type { ChartSpec, Range, SeriesColour, YAxis } from '../../../charts/spec/spec'
import type { Step } from './history'

interface Chart {
  title: string
  aside: string
  y: Pick<YAxis, 'format' | 'least' | 'to'>
  lines: readonly (readonly [name: string, colour: SeriesColour, of: (step: Step) => number])[]
  /** what the values are ratios of, so that no reads look different from no data */
  counts?: { idle: string; of: readonly (readonly [name: string, format: FormatName, of: (step: Step) => number])[] }
}

const HEIGHT = 132

const log: Chart = {
  title: 'Log and checkpoints',
  aside: 'log that a recovery would read; a checkpoint frees it',
  lines: [
    ['needed', 1, (step) => step.neededBytes],
    ['ring', 'bad', (step) => step.ringBytes],
  ],
  y: { format: 'bytes' },
}

const charts: readonly Chart[] = [
  log,
  {
    title: 'Cache hits by kind of page',
    aside: 'share of page reads that the cache answered',
    lines: [
      ['index', 1, (step) => step.hits.index],
      ['slot map', 3, (step) => step.hits['slot map']],
      ['records', 2, (step) => step.hits.records],
    ],
    y: { format: 'percent', to: 100 },
    counts: {
      idle: 'nothing read',
      of: [
        ['index reads', 'count', (step) => step.reads.index],
        ['slot map reads', 'count', (step) => step.reads['slot map']],
        ['record reads', 'count', (step) => step.reads.records],
      ],
    },
  },
  {
    title: 'Page and log traffic',
    aside: 'bytes per second',
    lines: [
      ['pages read', 1, (step) => step.pagesReadPerSecond],
      ['pages written', 2, (step) => step.pagesWrittenPerSecond],
      ['log written', 3, (step) => step.logWrittenPerSecond],
    ],
    y: { format: 'bytes' },
  },
  {
    title: 'Amplification now',
    aside: 'bytes on the disk per byte of a record',
    lines: [
      ['read', 1, (step) => step.readAmplification],
      ['write', 2, (step) => step.writeAmplification],
    ],
    y: { format: 'times', least: 2 },
    counts: {
      idle: 'nothing read or written',
      of: [
        ['records read per second', 'bytes', (step) => step.recordsReadPerSecond],
        ['records written per second', 'bytes', (step) => step.recordsWrittenPerSecond],
      ],
    },
  },
]

/** Charts of log, cache and disks since the page was opened. */
export function StorageCharts({ steps, checkpoints }: { steps: readonly Step[]; checkpoints: readonly Checkpoint[] }) {
  const drawn = useMemo(
    () => charts.map((chart) => ({ ...chart, spec: specOf(chart, steps, chart === log ? checkpoints : undefined) })),
    [steps, checkpoints],
  )
  return (
    <ChartGroup>
      <div className="grid-2">
        {drawn.map(({ title, aside, spec }) => (
          <ChartCard key={title} title={title} aside={aside} spec={spec} height={HEIGHT} />
        ))}
      </div>
    </ChartGroup>
  )
}

function specOf(
  { lines, y, counts }: Chart,
  steps: readonly Step[],
  checkpoints: readonly Checkpoint[] | undefined,
): ChartSpec {
  return {
    x: { name: 'time', scale: 'time', format: 'clock', values: steps.map(({ atMs }) => atMs) },
    y: { scale: 'linear', ...y },
    series: lines.map(([name, colour, of]) => ({
      id: name,
      name,
      colour,
      values: steps.map(of).map(finite),
    })),
    facts: counts?.of.map(([name, format, of]) => ({ name, format, values: steps.map(of).map(finite) })),
    idle: counts?.idle,
    spans: checkpoints && { name: 'checkpoint', ranges: checkpoints.map(spanOf) },
  }
}

/** A ratio of nothing is no number. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)

function spanOf({ begunAt, tookMs }: Checkpoint): Range {
  const from = Date.parse(begunAt)
  return { from, to: from + tookMs }
}
