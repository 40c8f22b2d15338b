import type { Checkpoint, PagesLoad, PagesReport } from '../../../api/types'
import { Tile } from '../../../components/Tile'
import { ago, bytes, count, latency, share, shortCount } from '../../../format'
import { hitRatio } from './reads'

/** The main figures of a namespace's pages. */
export function PageTiles({ report, newest }: { report: PagesReport; newest: PagesLoad | undefined }) {
  const { pages, freePages, pageBytes, cache, log, traffic, checkpoints } = report
  const reads = { hits: 0, misses: 0 }
  for (const { hits, misses } of cache.kinds) {
    reads.hits += hits
    reads.misses += misses
  }
  const last = checkpoints.at(-1)
  return (
    <div className="grid-4">
      <Tile
        name="Pages"
        value={bytes(pages * pageBytes)}
        note={`${shortCount(pages)} of ${bytes(pageBytes)} · ${bytes(freePages * pageBytes)} in free extents`}
      />
      <Tile
        name="Cache"
        value={bytes(cache.used * pageBytes)}
        note={`of ${bytes(cache.bytes)} · ${shortCount(cache.dirty)} dirty pages`}
      />
      <Tile
        name="Cache hits"
        value={percent(hitRatio(reads.hits, reads.misses))}
        note={`of ${shortCount(reads.hits + reads.misses)} page reads`}
      />
      <Tile
        name="Log needed"
        value={bytes(log.neededBytes)}
        note={`${share(log.neededBytes / Math.max(1, log.ringBytes))} of the log of ${bytes(log.ringBytes)}`}
      />
      <Tile
        name="Read amplification"
        value={times(traffic.readAmplification)}
        note={`since it was opened${now(newest?.readAmplification, newest?.recordsReadBytesPerSecond, 'read')}`}
      />
      <Tile
        name="Write amplification"
        value={times(traffic.writeAmplification)}
        note={`since it was opened${now(newest?.writeAmplification, newest?.recordsWrittenBytesPerSecond, 'written')}`}
      />
      <Tile
        name="Newest checkpoint"
        value={last === undefined ? '–' : ago(Date.parse(last.begunAt), Date.parse(report.at))}
        note={checkpointNote(last)}
      />
      <Tile
        name="Log"
        value={`${shortCount(log.records)} records`}
        note={`${bytes(log.imageBytes)} of page images · ${shortCount(log.syncs)} syncs`}
      />
    </div>
  )
}

function checkpointNote(last: Checkpoint | undefined): string {
  if (last === undefined) return 'none yet'
  return `${count(last.pages)} pages in ${latency(last.tookMs * 1e6)}${last.whole ? '' : ', not ended yet'}`
}

const percent = (ratio: number): string => (Number.isNaN(ratio) ? '–' : share(ratio))
const times = (value: number | undefined): string => (value === undefined ? '–' : `${value.toFixed(2)}×`)

/** The value now, or that there is none because nothing happened. */
function now(value: number | undefined, of: number | undefined, done: string): string {
  if (of === 0) return `; nothing ${done} now`
  return value === undefined ? '' : `; now ${times(value)}`
}
