import { memo, useMemo } from 'react'
import { ChartCard } from '../../../charts/card/ChartCard'
import { ChartGroup } from '../../../charts/card/ChartGroup'
import type { FormatName } from '../../../charts/spec/formats'
import type { ChartSpec, Range, SeriesColour, YAxis } from '../../../charts/spec/spec'
import type { Feed } from '../../../live/feed'
import { isLong } from '../../../live/window'
import { liveSource } from '../../live/live-source'
import type { DeviceColumn, Figures } from './figures'
import { t, tIn } from '../../../language/text'

type Value = (column: DeviceColumn) => number | undefined

interface Chart {
  title: string
  aside: string
  y: Pick<YAxis, 'format' | 'least' | 'to'>
  lines: readonly (readonly [name: string, colour: SeriesColour, of: Value])[]
  /** what the values are an average or a ratio of: nothing of it is no gap */
  of?: { name: string; format: FormatName; idle: string; value: Value }
}

const of =
  (key: keyof Figures): Value =>
  ({ figures }) =>
    figures?.[key]
const inNs =
  (key: 'readMs' | 'writeMs' | 'syncMs'): Value =>
  ({ figures }) =>
    figures && figures[key] * NS_PER_MS
const waiting =
  (key: 'flushQueueBytes' | 'defragQueueBlocks' | 'writeAmplification'): Value =>
  ({ load }) =>
    load?.[key]

const charts: readonly Chart[] = [
  {
    title: t('Throughput'),
    aside: t('bytes per second'),
    lines: [
      [tIn('direction', 'read'), 1, of('readBytes')],
      [tIn('direction', 'write'), 2, of('writeBytes')],
    ],
    y: { format: 'bytes' },
  },
  {
    title: t('Operations'),
    aside: t('per second'),
    lines: [
      [t('reads'), 1, of('reads')],
      [t('writes'), 2, of('writes')],
      [t('syncs'), 3, of('syncs')],
    ],
    y: { format: 'short' },
  },
  {
    title: t('Device latency'),
    aside: t('average'),
    lines: [
      [tIn('direction', 'read'), 1, inNs('readMs')],
      [tIn('direction', 'write'), 2, inNs('writeMs')],
      [t('sync'), 3, inNs('syncMs')],
    ],
    y: { format: 'latency' },
    of: {
      name: t('operations'),
      format: 'plain',
      idle: t('no operations'),
      value: ({ figures }) => figures && figures.reads + figures.writes + figures.syncs,
    },
  },
  {
    title: t('Queue depth'),
    aside: t('average operations in flight, syncs included'),
    lines: [[t('in flight'), 1, of('depth')]],
    y: { format: 'plain', least: 2 },
  },
  {
    title: t('Busy'),
    aside: t('time with an operation in flight'),
    lines: [[t('busy'), 1, of('busyPercent')]],
    y: { format: 'percent', to: 100 },
  },
  {
    title: t('Write amplification'),
    aside: t('bytes written per byte logged'),
    lines: [['written / logged', 2, waiting('writeAmplification')]],
    y: { format: 'times', least: 2 },
    of: {
      name: t('logged per second'),
      format: 'bytes',
      idle: t('nothing logged'),
      value: ({ load }) => load?.appendedBytesPerSecond,
    },
  },
  {
    title: t('Flush queue'),
    aside: t('bytes that wait for stable storage'),
    lines: [[t('waiting'), 2, waiting('flushQueueBytes')]],
    y: { format: 'bytes' },
  },
  {
    title: t('Defragmentation queue'),
    aside: t('write blocks that wait to be rewritten'),
    lines: [[t('waiting'), 2, waiting('defragQueueBlocks')]],
    y: { format: 'count', least: 4 },
  },
]

const HEIGHT = 118
const NS_PER_MS = 1e6

interface Shown {
  columns: readonly DeviceColumn[]
  range: Range
  feed: Pick<Feed, 'subscribe' | 'version' | 'stepMs'>
}

/** Disk activity per second, and the queues. A frame draws the charts, and renders nothing. */
export const DeviceCharts = memo(function DeviceCharts({ view }: { view: Shown }) {
  const drawn = useMemo(
    () => charts.map((chart) => ({ ...chart, source: liveSource(view, (shown) => specOf(chart, shown)) })),
    [view],
  )
  return (
    <ChartGroup>
      <div className="grid-2">
        {drawn.map(({ title, aside, source }) => (
          <ChartCard key={title} title={title} aside={aside} spec={source} height={HEIGHT} />
        ))}
      </div>
    </ChartGroup>
  )
})

function specOf({ lines, y, of: whole }: Chart, { columns, range, feed: { stepMs: step } }: Shown): ChartSpec {
  const values = columns.map(({ start }) => start)
  return {
    x: { name: 'time', scale: 'time', format: isLong(step) ? 'moment' : 'clock', values, range, step },
    y: { scale: 'linear', ...y },
    series: lines.map(([name, colour, value]) => ({
      id: name,
      name,
      colour,
      values: columns.map((column) => finite(value(column))),
    })),
    facts: whole && [
      { name: whole.name, format: whole.format, values: columns.map((column) => finite(whole.value(column))) },
    ],
    idle: whole?.idle,
  }
}

/** An average of no operations is no number. */
function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null
}
