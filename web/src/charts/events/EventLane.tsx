import { use, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { eventLog } from '../../live/event-log'
import { useEachFrame, writeClass } from '../../live/use-written'
import { useWidth } from '../use-width'
import type { ChartLink } from '../card/link'
import type { ChartSource } from '../card/source'
import { shareAt } from '../spec/geometry'
import { insets } from '../spec/option'
import { fullRange, shownRange, timesOf } from '../spec/scale'
import type { Range } from '../spec/spec'
import { chipPx } from './chip-width'
import { EventChip } from './EventChip'
import { eventGroups, type EventGroup } from './event-groups'
import { EventScope } from './scope'

interface Props {
  source: ChartSource
  link: ChartLink
  zoom: Range | undefined
}

/** The events of a chart over time, on one lane below its axis. Other events render it, the same ones only move. */
export function EventLane({ source, link, zoom }: Props) {
  const namespace = use(EventScope)
  const [lane, width] = useWidth<HTMLDivElement>()
  const [whole, wholeWidth] = useWidth<HTMLDivElement>()
  const groupsNow = useMemo(
    () => oncePerChange(source, () => groupsOf(source, zoom, namespace, width)),
    [source, zoom, namespace, width],
  )
  const last = useRef<readonly EventGroup[]>([])
  const groups = useSyncExternalStore(source.subscribe, () => {
    const now = groupsNow()
    if (!isSame(now, last.current)) last.current = now
    return last.current
  })
  useEachFrame(source, () => groupsNow().forEach((group, index) => place(lane.current?.children[index], group)))
  useEffect(() => eventLog.want(), [])
  const { left, right } = insets(source.read(), wholeWidth)
  return (
    <div ref={whole} className="events">
      <div ref={lane} className="lane" style={{ marginLeft: left, marginRight: right }}>
        {groups.map(({ marks }) => (
          <span key={`${marks[0]?.timeMs} ${marks[0]?.text}`}>
            <EventChip marks={marks} source={source} link={link} />
          </span>
        ))}
      </div>
    </div>
  )
}

function groupsOf(
  source: ChartSource,
  zoom: Range | undefined,
  namespace: string | undefined,
  width: number,
): readonly EventGroup[] {
  const { x } = source.read()
  const times = timesOf(x, zoom === undefined ? fullRange(x) : shownRange(x, zoom))
  if (times === undefined) return NONE
  const events = eventLog.within(times, namespace)
  if (events.length === 0) return NONE
  const shown = { ...times, log: false }
  return eventGroups(
    events,
    (time) => shareAt(time, shown),
    (mark, count) => (width === 0 ? 1 : chipPx(mark, count, width) / width),
  )
}

const NONE: readonly EventGroup[] = []

/** Gives the same result until the chart or the events change. */
function oncePerChange<T>(source: ChartSource, make: () => T): () => T {
  let last: { of: unknown; version: number; made: T } | undefined
  return () => {
    const [of, { version }] = [source.read(), eventLog]
    if (last === undefined || last.of !== of || last.version !== version) last = { of, version, made: make() }
    return last.made
  }
}

const isSame = (some: readonly EventGroup[], others: readonly EventGroup[]): boolean =>
  some.length === others.length &&
  some.every(({ marks }, index) => {
    const other = others[index]?.marks ?? []
    return marks.length === other.length && marks.every((mark, at) => mark === other[at])
  })

/** Moves a chip. That lays out nothing, and paints nothing anew. */
function place(at: Element | undefined, { from, left }: EventGroup): void {
  if (!(at instanceof HTMLElement)) return
  const reachesLeft = left < from
  writeClass(at, reachesLeft ? 'at end' : 'at')
  const edge = `${from * 100}cqw`
  at.style.transform = `translateX(${reachesLeft ? `calc(${edge} - 100%)` : edge})`
}
