import { Link } from '@tanstack/react-router'
import { memo, useMemo, useState } from 'react'
import { useLinked, type ChartLink } from '../../charts/card/link'
import { LEFT, rightOf, shareAt } from '../../charts/spec/geometry'
import { shownRange } from '../../charts/spec/scale'
import { useWidth } from '../../charts/use-width'
import { clock, dateTime } from '../../format'
import type { Mark } from '../../live/frame'
import { useFeedValue } from '../../live/use-feed'
import { useEachFrame, writeClass } from '../../live/use-written'
import type { LiveView } from '../../live/view'
import { isLong } from '../../live/window'
import { chipPx } from './chip-width'
import { eventGroups, type EventGroup } from './event-groups'
import { timeOf } from './live-source'
import { t } from '../../language/text'
import { eventWords } from '../../components/api-words'
import { Tip } from '../../ui/Tip'

/** The events of the window on one lane below the charts, by kind. A chip leads to its job, a group zooms in. */
export function EventLane({ view, link }: { view: LiveView; link: ChartLink }) {
  const zoom = useLinked(link, (state) => state.zoom)
  const [hidden, setHidden] = useState<readonly string[]>([])
  const [lane, width] = useWidth<HTMLDivElement>()
  const [whole, wholeWidth] = useWidth<HTMLDivElement>()
  const groupsNow = useMemo(
    () =>
      oncePerFrame(view, () => {
        const shown = { ...shownRange(timeOf(view), zoom), log: false }
        return eventGroups(
          view.marks.filter(({ kind }) => !hidden.includes(kind)),
          (time) => shareAt(time, shown),
          (mark, count) => (width === 0 ? 1 : chipPx(mark, count, width) / width),
        )
      }),
    [view, zoom, hidden, width],
  )
  const kindsNow = (): string[] => [...new Set(view.marks.map(({ kind }) => kind))].toSorted()
  // Other events render. The same ones only move.
  useFeedValue(view.feed, () => JSON.stringify([kindsNow(), groupsNow().map(({ marks }) => marks)]))
  useEachFrame(view.feed, () => groupsNow().forEach((group, index) => place(lane.current?.children[index], group)))
  const [groups, kinds] = [groupsNow(), kindsNow()]
  return (
    <div ref={whole} className="events">
      <div ref={lane} className="lane" style={{ marginLeft: LEFT, marginRight: rightOf(wholeWidth) }}>
        {groups.map(({ marks }) => (
          <span key={marks[0]?.timeMs}>
            <Chip marks={marks} stepMs={view.feed.stepMs} link={link} />
          </span>
        ))}
      </div>
      {kinds.length > 1 && (
        <div className="legend" role="group" aria-label={t('Kinds of events')}>
          {kinds.map((kind) => (
            <button
              key={kind}
              type="button"
              aria-pressed={!hidden.includes(kind)}
              onClick={() =>
                setHidden(hidden.includes(kind) ? hidden.filter((one) => one !== kind) : [...hidden, kind])
              }
            >
              {eventWords(kind)}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

/** Gives the same result until the next frame. */
function oncePerFrame<T>(view: LiveView, make: () => T): () => T {
  let last: { marks: readonly Mark[]; made: T } | undefined
  return () => {
    const { marks } = view
    if (last?.marks !== marks) last = { marks, made: make() }
    return last.made
  }
}

/** Moves a chip. That lays out nothing, and paints nothing anew. */
function place(at: Element | undefined, { from, left }: EventGroup): void {
  if (!(at instanceof HTMLElement)) return
  const reachesLeft = left < from
  writeClass(at, reachesLeft ? 'at end' : 'at')
  const edge = `${from * 100}cqw`
  at.style.transform = `translateX(${reachesLeft ? `calc(${edge} - 100%)` : edge})`
}

interface ChipProps {
  marks: readonly Mark[]
  stepMs: number
  link: ChartLink
}

const Chip = memo(
  function Chip({ marks, stepMs, link }: ChipProps) {
    const mark = marks.at(-1)
    if (mark === undefined) return null
    const time = isLong(stepMs) ? dateTime : clock
    const title = marks.map(({ timeMs, text }) => `${time(timeMs)} ${text}`).join('\n')
    if (marks.length > 1)
      return (
        <Tip text={title}>
          <button type="button" className="chip" onClick={() => zoomInto(link, marks, stepMs)}>
            <b>{marks.length}</b>
            <span className="visually-hidden"> {t('events, newest:')}</span> {mark.text}
          </button>
        </Tip>
      )
    if (mark.jobId !== undefined)
      return (
        <Tip text={title}>
          <Link className="chip" to="/jobs" search={{ id: mark.jobId }}>
            {mark.text}
          </Link>
        </Tip>
      )
    return (
      <Tip text={title}>
        <button type="button" className="chip" onClick={() => link.hover(mark.timeMs)}>
          {mark.text}
        </button>
      </Tip>
    )
  },
  (a, b) =>
    a.link === b.link &&
    a.stepMs === b.stepMs &&
    a.marks.length === b.marks.length &&
    a.marks.every((mark, index) => mark === b.marks[index]),
)

function zoomInto(link: ChartLink, marks: readonly Mark[], stepMs: number): void {
  const [first = 0, last = 0] = [marks[0]?.timeMs, marks.at(-1)?.timeMs]
  const margin = Math.max(stepMs * 2, (last - first) / 4)
  link.zoomTo({ from: first - margin, to: last + margin })
}
