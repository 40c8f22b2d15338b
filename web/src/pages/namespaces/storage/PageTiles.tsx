import type { Checkpoint, PagesLoad, PagesReport } from '../../../api/types'
import { WrittenTile, writeTile, type TileFigures } from '../../../components/Tile'
import { ago, bytes, latency, share, shortCount, times } from '../../../format'
import type { FramesView } from '../../../live/frames-view'
import { useWritten } from '../../../live/use-written'
import { newestLoad, type PagesColumn } from './figures'
import { hitRatio } from './reads'
import { t } from '../../../language/text'

const NAMES = [
  t('Pages'),
  t('Cache'),
  t('Cache hits'),
  t('Log needed'),
  t('Read amplification'),
  t('Write amplification'),
  t('Newest checkpoint'),
  t('Log'),
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
      note: t('{pages} of {pageBytes} · {freePages} in free extents', {
        pages: shortCount(pages),
        pageBytes: bytes(pageBytes),
        freePages: bytes(freePages * pageBytes),
      }),
    },
    {
      value: bytes(cache.used * pageBytes),
      note: t('of {bytes} · {dirty, plural, one {{dirtyShown} dirty page} other {{dirtyShown} dirty pages}}', {
        bytes: bytes(cache.bytes),
        dirty: cache.dirty,
        dirtyShown: shortCount(cache.dirty),
      }),
    },
    {
      value: percent(hitRatio(reads.hits, reads.misses)),
      note: t('of {hits, plural, one {{hitsShown} page read} other {{hitsShown} page reads}}', {
        hits: reads.hits + reads.misses,
        hitsShown: shortCount(reads.hits + reads.misses),
      }),
    },
    {
      value: bytes(log.neededBytes),
      note: t('{neededBytes} of the log of {ringBytes}', {
        neededBytes: share(log.neededBytes / Math.max(1, log.ringBytes)),
        ringBytes: bytes(log.ringBytes),
      }),
    },
    {
      value: times(traffic.readAmplification),
      note: t('since it was opened{readAmplification}', {
        readAmplification: now(newest?.readAmplification, newest?.recordsReadBytesPerSecond, t('nothing read now')),
      }),
    },
    {
      value: times(traffic.writeAmplification),
      note: t('since it was opened{writeAmplification}', {
        writeAmplification: now(
          newest?.writeAmplification,
          newest?.recordsWrittenBytesPerSecond,
          t('nothing written now'),
        ),
      }),
    },
    {
      value: last === undefined ? '–' : ago(Date.parse(last.begunAt), Date.parse(report.at)),
      note: checkpointNote(last),
    },
    {
      value: t('{records, plural, one {{recordsShown} record} other {{recordsShown} records}}', {
        records: log.records,
        recordsShown: shortCount(log.records),
      }),
      note: t('{imageBytes} of page images · {syncs, plural, one {{syncsShown} sync} other {{syncsShown} syncs}}', {
        imageBytes: bytes(log.imageBytes),
        syncs: log.syncs,
        syncsShown: shortCount(log.syncs),
      }),
    },
  ]
}

function checkpointNote(last: Checkpoint | undefined): string {
  if (last === undefined) return t('none yet')
  const values = { pages: last.pages, took: latency(last.tookMs * 1e6) }
  return last.whole
    ? t('{pages, plural, one {# page} other {# pages}} in {took}', values)
    : t('{pages, plural, one {# page} other {# pages}} in {took}, not ended yet', values)
}

const percent = (ratio: number): string => (Number.isNaN(ratio) ? '–' : share(ratio))
/** The value now, or that there is none because nothing happened. */
function now(value: number | undefined, of: number | undefined, nothing: string): string {
  if (of === 0) return `; ${nothing}`
  return value === undefined ? '' : `; ${t('now {value}', { value: times(value) })}`
}
