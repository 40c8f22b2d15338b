import { WrittenTile, writeTile, type TileFigures } from '../../../components/Tile'
import { bytes, count, fixed, latency, rate, share, shortCount, times } from '../../../format'
import type { DeviceLoad, DeviceReport } from '../../../api/types'
import type { FramesView } from '../../../live/frames-view'
import { useWritten } from '../../../live/use-written'
import { newestSecond, type DeviceColumn, type DeviceSecond } from './figures'
import { t } from '../../../language/text'

const ms = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '–' : latency(value * 1e6)

/** Note of a tile without current data. */
const NONE = t('no data for the last second')

const NAMES = [
  t('Read'),
  t('Write'),
  t('Queue depth'),
  t('Write amplification'),
  t('Flush queue'),
  t('Defragmentation queue'),
  t('Reads from memory'),
  t('Post-write cache'),
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
      note: none
        ? NONE
        : t('{writes} · {writeMs} · sync {syncMs}', {
            writes: rate(figures.writes),
            writeMs: ms(figures.writeMs),
            syncMs: ms(figures.syncMs),
          }),
    },
    {
      value: none ? '–' : fixed(figures.depth, figures.depth < 10 ? 2 : 1),
      note: none ? NONE : t('busy {busyPercent} of the time', { busyPercent: share(figures.busyPercent / 100) }),
    },
    {
      value: times(amplification.total),
      note: t('since it was opened{load}', { load: load === undefined ? '' : amplifiedNow(load) }),
    },
    {
      value: bytes(waiting),
      tone: flush.failure === undefined ? undefined : 'bad',
      note:
        flush.failure === undefined
          ? t('writers wait above {limitBytes}', { limitBytes: bytes(flush.limitBytes) })
          : t('writes are refused'),
    },
    {
      value: count(sparse),
      note: t('blocks · {freeingBlocks} freeing · {reservedBlocks} reserved', {
        freeingBlocks: count(defrag.freeingBlocks),
        reservedBlocks: count(defrag.reservedBlocks),
      }),
    },
    {
      value: memoryShare(report),
      note: t('of {report, plural, one {{reportShown} record read} other {{reportShown} record reads}}', {
        report: readsOf(report),
        reportShown: shortCount(readsOf(report)),
      }),
    },
    {
      value: bytes(report.cache.blocks * report.blockBytes),
      note: t('of {mostBlocks}', { mostBlocks: bytes(report.cache.mostBlocks * report.blockBytes) }),
    },
  ]
}

function amplifiedNow({ writeAmplification }: DeviceLoad): string {
  return writeAmplification === undefined
    ? t('; nothing logged now')
    : t('; now {writeAmplification}×', { writeAmplification: shortCount(writeAmplification) })
}

const readsOf = ({ cache }: DeviceReport): number => cache.memoryReads + cache.diskReads

function memoryShare(report: DeviceReport): string {
  const reads = readsOf(report)
  return reads === 0 ? '–' : share(report.cache.memoryReads / reads)
}
