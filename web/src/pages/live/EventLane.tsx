import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useLinked, type ChartLink } from '../../charts/card/link'
import { LEFT, rightOf, shareAt } from '../../charts/spec/geometry'
import { xScale } from '../../charts/spec/scale'
import { useWidth } from '../../charts/use-width'
import { clock, dateTime } from '../../format'
import type { Mark } from '../../live/frame'
import { useFeedValue, version } from '../../live/use-feed'
import type { LiveView } from '../../live/view'
import { isLong } from '../../live/window'
import { chipPx } from './chip-width'
import { eventGroups, type EventGroup } from './event-groups'
import { timeOf } from './live-source'

/** The events of the window on one lane below the charts, by kind. A chip leads to its job, a group zooms in. */
export function EventLane({ view, link }: { view: LiveView; link: ChartLink }) {
  useFeedValue(view.feed, version)
  const zoom = useLinked(link, (state) => state.zoom)
  const [hidden, setHidden] = useState<readonly string[]>([])
  const [lane, width] = useWidth<HTMLDivElement>()
  const [whole, wholeWidth] = useWidth<HTMLDivElement>()
  const { marks, range } = view
  const shown = xScale(timeOf(view), zoom)
  const kinds = useMemo(() => [...new Set(marks.map(({ kind }) => kind))].toSorted(), [marks])
  const groups = eventGroups(
    marks.filter(({ kind }) => !hidden.includes(kind)),
    (time) => shareAt(time, shown),
    (mark, count) => (width === 0 ? 1 : chipPx(mark, count, width) / width),
  )
  const zoomInto = ({ marks: near }: EventGroup): void => {
    const [first = range.from, last = range.to] = [near[0]?.timeMs, near.at(-1)?.timeMs]
    const margin = Math.max(view.feed.stepMs * 2, (last - first) / 4)
    link.zoomTo({ from: first - margin, to: last + margin })
  }
  return (
    <div ref={whole} className="events">
      <div ref={lane} className="lane" style={{ marginLeft: LEFT, marginRight: rightOf(wholeWidth) }}>
        {groups.map((group) => (
          <span
            key={group.marks[0]?.timeMs}
            className={group.left < group.from ? 'at end' : 'at'}
            style={group.left < group.from ? { right: `${(1 - group.from) * 100}%` } : { left: `${group.from * 100}%` }}
          >
            <Chip
              group={group}
              time={isLong(view.feed.stepMs) ? dateTime : clock}
              onZoom={() => zoomInto(group)}
              onPoint={(mark) => link.hover(mark.timeMs)}
            />
          </span>
        ))}
      </div>
      {kinds.length > 1 && (
        <div className="legend" role="group" aria-label="Kinds of events">
          {kinds.map((kind) => (
            <button
              key={kind}
              type="button"
              aria-pressed={!hidden.includes(kind)}
              onClick={() =>
                setHidden(hidden.includes(kind) ? hidden.filter((one) => one !== kind) : [...hidden, kind])
              }
            >
              {kind}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

interface ChipProps {
  group: EventGroup
  time: (timeMs: number) => string
  onZoom: () => void
  onPoint: (mark: Mark) => void
}

function Chip({ group: { marks }, time, onZoom, onPoint }: ChipProps) {
  const mark = marks.at(-1)
  if (mark === undefined) return null
  const title = marks.map(({ timeMs, text }) => `${time(timeMs)} ${text}`).join('\n')
  if (marks.length > 1)
    return (
      <button type="button" className="chip" title={title} onClick={onZoom}>
        <b>{marks.length}</b>
        <span className="visually-hidden"> events, newest:</span> {mark.text}
      </button>
    )
  if (mark.jobId !== undefined)
    return (
      <Link className="chip" to="/jobs" search={{ id: mark.jobId }} title={title}>
        {mark.text}
      </Link>
    )
  return (
    <button type="button" className="chip" title={title} onClick={() => onPoint(mark)}>
      {mark.text}
    </button>
  )
}
