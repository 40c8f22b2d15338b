import { useId, useRef, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react'
import { clock } from '../../format'
import type { Mark } from '../../live/frame'
import { useFeedValue, version } from '../../live/use-feed'
import type { LiveView } from '../../live/view'
import { BOTTOM, LEFT, percentAt, RIGHT, timeAt, TOP, type TimeRange } from '../geometry'
import type { Cursor } from './use-cursor'

interface Props {
  view: LiveView
  cursor: Cursor
  /** true for the one pane that labels the marks; all panes draw their lines */
  words?: boolean
  /** extra height of the plot, for rows beyond the axes */
  tip?: (timeMs: number, yShare: number) => ReactNode
}

/** The shared crosshair, brush and marks of a pane; works with pointer, touch and arrow keys. */
export function PaneOverlay({ view, cursor, words = false, tip }: Props) {
  const { stepMs } = view.feed
  const id = useId()
  const dragFrom = useRef<number | undefined>(undefined)
  const yShare = useRef(0.5)
  const timeOf = (event: PointerEvent<HTMLDivElement>): number => {
    const box = event.currentTarget.getBoundingClientRect()
    yShare.current = (event.clientY - box.top) / box.height
    return timeAt(event.clientX - box.left, box.width, view.range)
  }
  const snap = (time: number): number => Math.floor(time / stepMs) * stepMs
  const select = (from: number, to: number): void =>
    cursor.select({ from: snap(Math.min(from, to)), to: snap(Math.max(from, to)) + stepMs })
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      dragFrom.current = undefined
      cursor.select(undefined)
      cursor.hover(undefined)
      return
    }
    const step = event.key === 'ArrowLeft' ? -stepMs : event.key === 'ArrowRight' ? stepMs : 0
    if (step === 0) return
    event.preventDefault()
    const { range } = view
    const at = cursor.at ?? range.to - stepMs / 2
    const next = Math.max(range.from + stepMs / 2, Math.min(range.to - stepMs / 2, at + step * (event.altKey ? 10 : 1)))
    if (event.shiftKey) {
      dragFrom.current ??= at
      select(dragFrom.current, next)
    } else dragFrom.current = undefined
    cursor.hover(next, id)
  }
  const at = cursor.at
  return (
    <div
      className="overlay"
      style={{ left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM }}
      tabIndex={0}
      role="slider"
      aria-label="Time cursor. Arrow keys move it, with Shift they select, Escape clears."
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={at === undefined ? 100 : Math.round(percentAt(at, view.range))}
      aria-valuetext={at === undefined ? 'newest' : clock(at)}
      onKeyDown={onKey}
      onPointerDown={(event) => {
        dragFrom.current = timeOf(event)
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={(event) => {
        const time = timeOf(event)
        cursor.hover(time, id)
        if (dragFrom.current !== undefined && event.buttons > 0 && Math.abs(time - dragFrom.current) >= stepMs)
          select(dragFrom.current, time)
      }}
      onPointerUp={(event) => {
        if (dragFrom.current !== undefined && Math.abs(timeOf(event) - dragFrom.current) < stepMs / 2)
          cursor.select(undefined)
        dragFrom.current = undefined
      }}
      onPointerLeave={() => cursor.hover(undefined)}
    >
      <OnTime id={id} view={view} cursor={cursor} words={words} tip={tip && ((time) => tip(time, yShare.current))} />
    </div>
  )
}

interface OnTimeProps extends Pick<Props, 'view' | 'cursor' | 'words'> {
  id: string
  tip: ((timeMs: number) => ReactNode) | undefined
}

/** The parts that move with time: marks, the selected span, the crosshair and its values. */
function OnTime({ id, view, cursor, words = false, tip }: OnTimeProps) {
  useFeedValue(view.feed, version)
  const { range, marks } = view
  const { at, selection } = cursor
  const inside = at !== undefined && at >= range.from && at <= range.to
  return (
    <>
      {selection !== undefined && <Brush range={range} selection={selection} />}
      <Marks range={range} marks={marks} words={words} />
      {inside && <i className="crosshair" style={{ left: `${percentAt(at, range)}%`, top: 0, bottom: 0 }} />}
      {inside && tip !== undefined && cursor.owner === id && (
        <div
          className="tip"
          style={{
            top: 6,
            ...(percentAt(at, range) > 55
              ? { right: `calc(${100 - percentAt(at, range)}% + 12px)` }
              : { left: `calc(${percentAt(at, range)}% + 12px)` }),
          }}
        >
          {tip(at)}
        </div>
      )}
    </>
  )
}

function Brush({ range, selection }: { range: TimeRange; selection: TimeRange }) {
  const from = Math.max(0, percentAt(selection.from, range))
  const to = Math.min(100, percentAt(selection.to, range))
  return to <= from ? null : (
    <i className="brush" style={{ left: `${from}%`, width: `${to - from}%`, top: 0, bottom: 0 }} />
  )
}

/** Least distance between two labelled marks, percent of the width; nearer marks get only a line. */
const WORDS_APART = 16
const NEAR_END = 80

function Marks({ range, marks, words }: { range: TimeRange; marks: Mark[]; words: boolean }) {
  let worded = -Infinity
  return marks.map((mark, index) => {
    const at = percentAt(mark.timeMs, range)
    const shown = words && at - worded >= WORDS_APART
    if (shown) worded = at
    return (
      <i key={index} className={at > NEAR_END ? 'mark end' : 'mark'} style={{ left: `${at}%`, top: 0, bottom: 0 }}>
        {shown && <span>{mark.text}</span>}
      </i>
    )
  })
}
