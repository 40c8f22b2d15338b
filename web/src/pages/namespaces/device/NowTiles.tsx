import { WrittenTile, writeTile, type TileFigures } from '../../../components/Tile'
import { bytes, count, latency, plural, rate, share, shortCount } from '../../../format'
import type { DeviceLoad, DeviceReport } from '../../../api/types'
import type { FramesView } from '../../../live/frames-view'
import { useWritten } from '../../../live/use-written'
import { newestSecond, type DeviceColumn, type DeviceSecond } from './figures'

const ms = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '–' : latency(value * 1e6)

/** Note of a tile without current data. */
const NONE = 'no data for the last second'

const NAMES = [
  'Read',
  'Write',
  'Queue depth',
  'Write amplification',
  'Flush queue',
  'Defragmentation queue',
  'Reads from memory',
  'Post-write cache',
]

interface Props {
  view: Pick<FramesView<DeviceColumn>, 'feed' | 'columns'>
  /** of one disk; unset: all */
  path: string | undefined
  report: DeviceReport
  /** whether the last columns tell what is now */
  hasNow: boolean
  /** whether the report is of now */
  isFresh: boolean
}

/** The last second of the disks, and their queues. */
export function NowTiles({ view, path, report, hasNow, isFresh }: Props) {
  const grid = useWritten<HTMLDivElement>(view.feed, ({ children }) => {
    const newest = newestSecond(hasNow ? view.columns : [], isFresh ? report.lastSecond : undefined, path)
    figuresOf(newest, report).forEach((figures, index) => writeTile(children[index], figures))
  })
  return (
    <div ref={grid} className="grid-4">
      {NAMES.map((name) => (
        <WrittenTile key={name} name={name} />
      ))}
    </div>
  )
}

/** What the tiles show, in the order of their names. */
export function figuresOf({ figures, load }: DeviceSecond, report: DeviceReport): TileFigures[] {
  const { flush, defrag, amplification } = report
  const waiting = load?.flushQueueBytes ?? flush.queueBytes
  const sparse = load?.defragQueueBlocks ?? defrag.queueBlocks
  const none = figures === undefined
  return [
    {
      value: none ? '–' : `${bytes(figures.readBytes)}/s`,
      note: none ? NONE : `${rate(figures.reads)} · ${ms(figures.readMs)}`,
    },
    {
      value: none ? '–' : `${bytes(figures.writeBytes)}/s`,
      note: none ? NONE : `${rate(figures.writes)} · ${ms(figures.writeMs)} · sync ${ms(figures.syncMs)}`,
    },
    {
      value: none ? '–' : figures.depth.toFixed(figures.depth < 10 ? 2 : 1),
      note: none ? NONE : `busy ${share(figures.busyPercent / 100)} of the time`,
    },
    {
      value: amplification.total === undefined ? '–' : `${amplification.total.toFixed(2)}×`,
      note: `since it was opened${load === undefined ? '' : amplifiedNow(load)}`,
    },
    {
      value: bytes(waiting),
      tone: flush.failure === undefined ? undefined : 'bad',
      note: flush.failure === undefined ? `writers wait above ${bytes(flush.limitBytes)}` : 'writes are refused',
    },
    {
      value: count(sparse),
      note: `blocks · ${count(defrag.freeingBlocks)} freeing · ${count(defrag.reservedBlocks)} reserved`,
    },
    { value: memoryShare(report), note: `of ${plural(readsOf(report), 'record read', shortCount)}` },
    {
      value: bytes(report.cache.blocks * report.blockBytes),
      note: `of ${bytes(report.cache.mostBlocks * report.blockBytes)}`,
    },
  ]
}

function amplifiedNow({ writeAmplification }: DeviceLoad): string {
  return writeAmplification === undefined ? '; nothing logged now' : `; now ${shortCount(writeAmplification)}×`
}

const readsOf = ({ cache }: DeviceReport): number => cache.memoryReads + cache.diskReads

function memoryShare(report: DeviceReport): string {
  const reads = readsOf(report)
  return reads === 0 ? '–' : share(report.cache.memoryReads / reads)
}
