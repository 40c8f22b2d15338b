import { memo, useMemo } from 'react'
import type { Checkpoint, PagesLoad } from '../../../api/types'
import { ChartCard } from '../../../charts/card/ChartCard'
import { ChartGroup } from '../../../charts/card/ChartGroup'
import type { FormatName } from '../../../charts/spec/formats'
import type { ChartSpec, Range, SeriesColour, YAxis } from '../../../charts/spec/spec'
import type { Feed } from '../../../live/feed'
import { isLong } from '../../../live/window'
import { liveSource } from '../../live/live-source'
import { hitPercent, pageReads, type PagesColumn } from './figures'
import { t, tIn } from '../../../language/text'

type Value = (load: PagesLoad) => number | undefined

interface Chart {
  title: string
  aside: string
  y: Pick<YAxis, 'format' | 'least' | 'to'>
  lines: readonly (readonly [name: string, colour: SeriesColour, of: Value])[]
  /** what the values are ratios of, so that no reads look different from no data */
  counts?: { idle: string; of: readonly (readonly [name: string, format: FormatName, of: Value])[] }
}

const HEIGHT = 132

const log: Chart = {
  title: t('Log and checkpoints'),
  aside: t('log that a recovery would read; a checkpoint frees it'),
  lines: [
    [t('needed'), 1, (load) => load.logNeededBytes],
    [t('ring'), 'bad', (load) => load.logRingBytes],
  ],
  y: { format: 'bytes' },
}

const charts: readonly Chart[] = [
  log,
  {
    title: t('Cache hits by kind of page'),
    aside: t('share of page reads that the cache answered'),
    lines: [
      [t('index'), 1, (load) => hitPercent(load, 'index')],
      [t('slot map'), 3, (load) => hitPercent(load, 'slotMap')],
      [t('records'), 2, (load) => hitPercent(load, 'records')],
    ],
    y: { format: 'percent', to: 100 },
    counts: {
      idle: t('nothing read'),
      of: [
        [t('index reads'), 'count', (load) => pageReads(load, 'index')],
        [t('slot map reads'), 'count', (load) => pageReads(load, 'slotMap')],
        [t('record reads'), 'count', (load) => pageReads(load, 'records')],
      ],
    },
  },
  {
    title: t('Page and log traffic'),
    aside: t('bytes per second'),
    lines: [
      [t('pages read'), 1, (load) => load.pagesReadBytesPerSecond],
      [t('pages written'), 2, (load) => load.pagesWrittenBytesPerSecond],
      [t('log written'), 3, (load) => load.logWrittenBytesPerSecond],
    ],
    y: { format: 'bytes' },
  },
  {
    title: t('Amplification now'),
    aside: t('bytes on the disk per byte of a record'),
    lines: [
      [tIn('direction', 'read'), 1, (load) => load.readAmplification],
      [tIn('direction', 'write'), 2, (load) => load.writeAmplification],
    ],
    y: { format: 'times', least: 2 },
    counts: {
      idle: t('nothing read or written'),
      of: [
        [t('records read per second'), 'bytes', (load) => load.recordsReadBytesPerSecond],
        [t('records written per second'), 'bytes', (load) => load.recordsWrittenBytesPerSecond],
      ],
    },
  },
]

interface Shown {
  columns: readonly PagesColumn[]
  range: Range
  feed: Pick<Feed, 'subscribe' | 'version' | 'stepMs'>
}

interface Props {
  view: Shown
  checkpoints: readonly Checkpoint[]
}

/** Charts of log, cache and disks over the range of all pages. A frame draws them, and renders nothing. */
export const StorageCharts = memo(function StorageCharts({ view, checkpoints }: Props) {
  const drawn = useMemo(
    () => charts.map((chart) => ({ ...chart, source: liveSource(view, (shown) => specOf(chart, shown, checkpoints)) })),
    [view, checkpoints],
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

function specOf(chart: Chart, { columns, range, feed }: Shown, checkpoints: readonly Checkpoint[]): ChartSpec {
  const { stepMs: step } = feed
  const values = columns.map(({ start }) => start)
  const of = (value: Value) => columns.map(({ load }) => finite(load && value(load)))
  return {
    x: { name: 'time', scale: 'time', format: isLong(step) ? 'moment' : 'clock', values, range, step },
    y: { scale: 'linear', ...chart.y },
    series: chart.lines.map(([name, colour, value]) => ({ id: name, name, colour, values: of(value) })),
    facts: chart.counts?.of.map(([name, format, value]) => ({ name, format, values: of(value) })),
    idle: chart.counts?.idle,
    spans: chart === log ? { name: t('checkpoint'), ranges: checkpoints.map(spanOf) } : undefined,
  }
}

/** A ratio of nothing is no number. */
const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null

function spanOf({ begunAt, tookMs }: Checkpoint): Range {
  const from = Date.parse(begunAt)
  return { from, to: from + tookMs }
}
