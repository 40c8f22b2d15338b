import { useMemo } from 'react'
import type { Checkpoint } from '../../../api/types'
import { byteUnit } from '../../../charts/axes'
import { LineChart, type Line } from '../../../charts/LineChart'
import { bytes, clock, shortCount } from '../../../format'
import { checkpointSpans, type Step } from './history'

interface Chart {
  title: string
  aside: string
  lines: readonly (readonly [name: string, colour: Line['colour'], of: (step: Step) => number])[]
  valueText: (value: number) => string
  least?: number
  unitOf?: (most: number) => number
}

const HEIGHT = 132
const inBytes = { valueText: bytes, unitOf: byteUnit }

const log: Chart = {
  title: 'Log and checkpoints',
  aside: 'log that a recovery would read; a checkpoint frees it',
  lines: [
    ['needed', 'accent', (step) => step.neededBytes],
    ['ring', 'bad', (step) => step.ringBytes],
  ],
  ...inBytes,
}

const charts: readonly Chart[] = [
  log,
  {
    title: 'Cache hits by kind of page',
    aside: 'share of page reads that the cache answered',
    lines: [
      ['index', 'accent', (step) => step.hits.index],
      ['slot map', 'good', (step) => step.hits['slot map']],
      ['records', 'warn', (step) => step.hits.records],
    ],
    valueText: (value) => `${Math.round(value * 10) / 10}%`,
    least: 100,
  },
  {
    title: 'Page and log traffic',
    aside: 'bytes per second',
    lines: [
      ['pages read', 'accent', (step) => step.pagesReadPerSecond],
      ['pages written', 'warn', (step) => step.pagesWrittenPerSecond],
      ['log written', 'good', (step) => step.logWrittenPerSecond],
    ],
    ...inBytes,
  },
  {
    title: 'Amplification now',
    aside: 'bytes on the disk per byte of a record',
    lines: [
      ['read', 'accent', (step) => step.readAmplification],
      ['write', 'warn', (step) => step.writeAmplification],
    ],
    valueText: (value) => `${shortCount(value)}×`,
    least: 2,
  },
]

/** Charts of log, cache and disks since the page was opened. */
export function StorageCharts({ steps, checkpoints }: { steps: readonly Step[]; checkpoints: readonly Checkpoint[] }) {
  const drawn = useMemo(() => {
    const x = steps.map(({ atMs }) => atMs)
    const spans = { name: 'checkpoint', places: checkpointSpans(x, [...checkpoints]) }
    return charts.map((chart) => ({
      ...chart,
      x,
      lines: chart.lines.map(([name, colour, of]): Line => ({ name, colour, values: steps.map(of) })),
      ...(chart === log && { spans }),
    }))
  }, [steps, checkpoints])
  return (
    <div className="grid-2">
      {drawn.map((chart) => (
        <LineChart key={chart.title} height={HEIGHT} xText={clock} {...chart} />
      ))}
    </div>
  )
}
