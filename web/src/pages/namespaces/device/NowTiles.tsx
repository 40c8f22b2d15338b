import { Tile } from '../../../components/Tile'
import { bytes, count, latency, rate, share, shortCount } from '../../../format'
import type { DeviceLoad, DeviceReport } from '../../../api/types'
import type { DeviceSecond } from './figures'

const ms = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '–' : latency(value * 1e6)

/** Note of a tile without current data. */
const NONE = 'no data for the last second'

/** The last second of the disks, and their queues. */
export function NowTiles({ newest, report }: { newest: DeviceSecond; report: DeviceReport }) {
  const { figures, load } = newest
  const { flush, defrag, amplification } = report
  const waiting = load?.flushQueueBytes ?? flush.queueBytes
  const sparse = load?.defragQueueBlocks ?? defrag.queueBlocks
  const none = figures === undefined
  return (
    <div className="grid-4">
      <Tile
        name="Read"
        value={none ? '–' : `${bytes(figures.readBytes)}/s`}
        note={none ? NONE : `${rate(figures.reads)} · ${ms(figures.readMs)}`}
      />
      <Tile
        name="Write"
        value={none ? '–' : `${bytes(figures.writeBytes)}/s`}
        note={none ? NONE : `${rate(figures.writes)} · ${ms(figures.writeMs)} · sync ${ms(figures.syncMs)}`}
      />
      <Tile
        name="Queue depth"
        value={none ? '–' : figures.depth.toFixed(figures.depth < 10 ? 2 : 1)}
        note={none ? NONE : `busy ${share(figures.busyPercent / 100)} of the time`}
      />
      <Tile
        name="Write amplification"
        value={amplification.total === undefined ? '–' : `${amplification.total.toFixed(2)}×`}
        note={`since it was opened${load === undefined ? '' : amplifiedNow(load)}`}
      />
      <Tile
        name="Flush queue"
        value={bytes(waiting)}
        tone={flush.failure === undefined ? undefined : 'bad'}
        note={flush.failure === undefined ? `writers wait above ${bytes(flush.limitBytes)}` : 'writes are refused'}
      />
      <Tile
        name="Defragmentation queue"
        value={count(sparse)}
        note={`blocks · ${count(defrag.freeingBlocks)} freeing · ${count(defrag.reservedBlocks)} reserved`}
      />
      <Tile
        name="Reads from memory"
        value={memoryShare(report)}
        note={`of ${shortCount(readsOf(report))} record reads`}
      />
      <Tile
        name="Post-write cache"
        value={bytes(report.cache.blocks * report.blockBytes)}
        note={`of ${bytes(report.cache.mostBlocks * report.blockBytes)}`}
      />
    </div>
  )
}

function amplifiedNow({ writeAmplification }: DeviceLoad): string {
  return writeAmplification === undefined ? '; nothing logged now' : `; now ${shortCount(writeAmplification)}×`
}

const readsOf = ({ cache }: DeviceReport): number => cache.memoryReads + cache.diskReads

function memoryShare(report: DeviceReport): string {
  const reads = readsOf(report)
  return reads === 0 ? '–' : share(report.cache.memoryReads / reads)
}
