import { useMemo } from 'react'
import { byteUnit, timeTicks } from '../../../charts/axes'
import type { TimeRange } from '../../../charts/geometry'
import { LineChart, type Line } from '../../../charts/LineChart'
import { bytes, clock, count, latency, shortCount } from '../../../format'
import type { DeviceColumn, Figures } from './figures'

type Value = (column: DeviceColumn) => number | undefined

interface Chart {
  title: string
  aside: string
  lines: readonly (readonly [name: string, colour: Line['colour'], of: Value])[]
  valueText: (value: number) => string
  least?: number
  unitOf?: (most: number) => number
}

const of =
  (key: keyof Figures): Value =>
  ({ figures }) =>
    figures?.[key]
const waiting =
  (key: 'flushQueueBytes' | 'defragQueueBlocks' | 'writeAmplification'): Value =>
  ({ load }) =>
    load?.[key]
const inBytes = { valueText: bytes, unitOf: byteUnit }

const charts: readonly Chart[] = [
  {
    title: 'Throughput',
    aside: 'bytes per second',
    lines: [
      ['read', 'accent', of('readBytes')],
      ['write', 'warn', of('writeBytes')],
    ],
    ...inBytes,
  },
  {
    title: 'Operations',
    aside: 'per second',
    lines: [
      ['reads', 'accent', of('reads')],
      ['writes', 'warn', of('writes')],
      ['syncs', 'good', of('syncs')],
    ],
    valueText: shortCount,
  },
  {
    title: 'Device latency',
    aside: 'average per second',
    lines: [
      ['read', 'accent', of('readMs')],
      ['write', 'warn', of('writeMs')],
      ['sync', 'good', of('syncMs')],
    ],
    valueText: (value) => latency(value * 1e6),
  },
  {
    title: 'Queue depth',
    aside: 'average operations in flight, syncs included',
    lines: [['in flight', 'accent', of('depth')]],
    valueText: (value) => (value === 0 || value >= 10 ? shortCount(value) : value.toFixed(2)),
    least: 2,
  },
  {
    title: 'Busy',
    aside: 'time with an operation in flight',
    lines: [['busy', 'accent', of('busyPercent')]],
    valueText: (value) => `${Math.round(value)}%`,
    least: 100,
  },
  {
    title: 'Write amplification',
    aside: 'bytes written per byte logged',
    lines: [['written / logged', 'warn', waiting('writeAmplification')]],
    valueText: (value) => `${shortCount(value)}×`,
    least: 2,
  },
  {
    title: 'Flush queue',
    aside: 'bytes that wait for stable storage',
    lines: [['waiting', 'warn', waiting('flushQueueBytes')]],
    ...inBytes,
  },
  {
    title: 'Defragmentation queue',
    aside: 'write blocks that wait to be rewritten',
    lines: [['waiting', 'warn', waiting('defragQueueBlocks')]],
    valueText: count,
    least: 4,
  },
]

const HEIGHT = 118

/** Disk activity per second, and the queues. */
export function DeviceCharts({ columns, range }: { columns: readonly DeviceColumn[]; range: TimeRange }) {
  const x = useMemo(() => columns.map(({ start }) => start), [columns])
  const ticks = useMemo(() => timeTicks(range), [range])
  const drawn = useMemo(() => charts.map((chart) => ({ ...chart, lines: drawnLines(chart, columns) })), [columns])
  return (
    <div className="grid-2">
      {drawn.map((chart) => (
        <LineChart key={chart.title} height={HEIGHT} x={x} xText={clock} ticks={ticks} {...chart} />
      ))}
    </div>
  )
}

function drawnLines({ lines }: Chart, columns: readonly DeviceColumn[]): Line[] {
  return lines.map(([name, colour, value]) => ({
    name,
    colour,
    values: columns.map((column) => value(column) ?? Number.NaN),
  }))
}
