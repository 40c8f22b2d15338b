import type { Checkpoint, PagesLoad, PagesReport } from '../../../api/types'
import { WrittenTile, writeTile, type TileFigures } from '../../../components/Tile'
import { ago, bytes, latency, plural, share, shortCount } from '../../../format'
import type { FramesView } from '../../../live/frames-view'
import { useWritten } from '../../../live/use-written'
import { newestLoad, type PagesColumn } from './figures'
import { hitRatio } from './reads'

const NAMES = [
  'Pages',
  'Cache',
  'Cache hits',
  'Log needed',
  'Read amplification',
  'Write amplification',
  'Newest checkpoint',
  'Log',
]

interface Props {
  view: Pick<FramesView<PagesColumn>, 'feed' | 'columns'>
  report: PagesReport
  /** whether the last columns tell what is now */
  hasNow: boolean
}

/** The main figures of a namespace's pages. */
export function PageTiles({ view, report, hasNow }: Props) {
  const grid = useWritten<HTMLDivElement>(view.feed, ({ children }) => {
    const newest = hasNow ? newestLoad(view.columns) : undefined
    figuresOf(report, newest).forEach((figures, index) => writeTile(children[index], figures))
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
export function figuresOf(report: PagesReport, newest: PagesLoad | undefined): TileFigures[] {
  const { pages, freePages, pageBytes, cache, log, traffic, checkpoints } = report
  const reads = { hits: 0, misses: 0 }
  for (const { hits, misses } of cache.kinds) {
    reads.hits += hits
    reads.misses += misses
  }
  const last = checkpoints.at(-1)
  return [
    {
      value: bytes(pages * pageBytes),
      note: `${shortCount(pages)} of ${bytes(pageBytes)} · ${bytes(freePages * pageBytes)} in free extents`,
    },
    {
      value: bytes(cache.used * pageBytes),
      note: `of ${bytes(cache.bytes)} · ${plural(cache.dirty, 'dirty page', shortCount)}`,
    },
    {
      value: percent(hitRatio(reads.hits, reads.misses)),
      note: `of ${plural(reads.hits + reads.misses, 'page read', shortCount)}`,
    },
    {
      value: bytes(log.neededBytes),
      note: `${share(log.neededBytes / Math.max(1, log.ringBytes))} of the log of ${bytes(log.ringBytes)}`,
    },
    {
      value: times(traffic.readAmplification),
      note: `since it was opened${now(newest?.readAmplification, newest?.recordsReadBytesPerSecond, 'read')}`,
    },
    {
      value: times(traffic.writeAmplification),
      note: `since it was opened${now(newest?.writeAmplification, newest?.recordsWrittenBytesPerSecond, 'written')}`,
    },
    {
      value: last === undefined ? '–' : ago(Date.parse(last.begunAt), Date.parse(report.at)),
      note: checkpointNote(last),
    },
    {
      value: plural(log.records, 'record', shortCount),
      note: `${bytes(log.imageBytes)} of page images · ${plural(log.syncs, 'sync', shortCount)}`,
    },
  ]
}

function checkpointNote(last: Checkpoint | undefined): string {
  if (last === undefined) return 'none yet'
  return `${plural(last.pages, 'page')} in ${latency(last.tookMs * 1e6)}${last.whole ? '' : ', not ended yet'}`
}

const percent = (ratio: number): string => (Number.isNaN(ratio) ? '–' : share(ratio))
const times = (value: number | undefined): string => (value === undefined ? '–' : `${value.toFixed(2)}×`)

/** The value now, or that there is none because nothing happened. */
function now(value: number | undefined, of: number | undefined, done: string): string {
  if (of === 0) return `; nothing ${done} now`
  return value === undefined ? '' : `; now ${times(value)}`
}
