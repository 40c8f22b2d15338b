import { useEffect, useRef, type PointerEvent, type RefObject } from 'react'
import { cellAt, heatYAt } from '../spec/heat-cells'
import { indexAt, panned, shareAt, xAt, zoomed } from '../spec/geometry'
import { fullRange, xScale, type Scale } from '../spec/scale'
import type { ChartSpec, Range } from '../spec/spec'
import type { ChartLink } from './link'
import type { ChartSource } from './source'

/** A shorter drag is a click, CSS pixels. */
const LEAST_DRAG_PX = 4
const WHEEL_FACTOR = 1.25

/** What a drag does: it selects a span, or moves the zoom. */
interface Drag {
  kind: 'select' | 'pan'
  from: number
  clientX: number
  shown: Scale
}

/** Where the pointer is; `y` only on a heatmap. */
interface Pointed {
  x: number
  y: number | undefined
}

interface Handlers {
  onPointerDown: (event: PointerEvent<HTMLElement>) => void
  onPointerMove: (event: PointerEvent<HTMLElement>) => void
  onPointerUp: (event: PointerEvent<HTMLElement>) => void
  onPointerLeave: () => void
  onDoubleClick: () => void
}

/** Crosshair, selection, zoom and pan with a pointer and a wheel. */
export function usePointer(
  overlay: RefObject<HTMLElement | null>,
  source: ChartSource,
  link: ChartLink,
  owner: string,
): Handlers {
  const drag = useRef<Drag>(undefined)
  const pointed = useRef<Pointed>({ x: 0, y: undefined })
  const shown = (): Scale => xScale(source.read().x, link.state.zoom)

  useEffect(() => {
    const element = overlay.current
    const wheel = (event: WheelEvent): void => {
      const range = xScale(source.read().x, link.state.zoom)
      const full = fullRange(source.read().x)
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault()
        const factor = event.deltaY < 0 ? 1 / WHEEL_FACTOR : WHEEL_FACTOR
        link.zoomTo(zoomed(range, full, pointed.current.x, factor))
      } else if (event.shiftKey && link.state.zoom !== undefined) {
        event.preventDefault()
        link.zoomTo(panned(range, full, Math.sign(event.deltaY + event.deltaX) / 10))
      }
    }
    // Not passive: with a modifier the wheel is for the chart, not for the page.
    element?.addEventListener('wheel', wheel, { passive: false })
    return () => element?.removeEventListener('wheel', wheel)
  }, [overlay, source, link])

  const point = ({ currentTarget, clientX, clientY }: PointerEvent<HTMLElement>): Pointed => {
    const box = currentTarget.getBoundingClientRect()
    const share = Math.max(0, Math.min(1, (clientX - box.left) / box.width))
    pointed.current = { x: xAt(share, shown()), y: heatYAt(source.read(), clientY - box.top, box.height) }
    return pointed.current
  }
  const handlers: Handlers = {
    onPointerDown: (event) => {
      const { x } = point(event)
      const pans = event.shiftKey && link.state.zoom !== undefined
      drag.current = { kind: pans ? 'pan' : 'select', from: x, clientX: event.clientX, shown: shown() }
      event.currentTarget.setPointerCapture(event.pointerId)
    },
    onPointerMove: (event) => {
      const { x, y } = point(event)
      const { x: axis } = source.read()
      link.hover(x, owner, { y })
      const { current } = drag
      if (current === undefined || event.buttons === 0) return
      if (current.kind === 'pan') {
        const width = event.currentTarget.getBoundingClientRect().width
        link.zoomTo(panned(current.shown, fullRange(axis), (current.clientX - event.clientX) / width))
      } else if (isDrag(event, current, axis.step)) link.select(columnsOf(source.read(), current.from, x))
    },
    onPointerUp: (event) => {
      const { current } = drag
      drag.current = undefined
      if (current?.kind !== 'select') return
      const { selection } = link.state
      if (!isDrag(event, current, source.read().x.step)) open(current.from, pointed.current.y)
      else if (!link.selects && selection !== undefined) zoomToSelection(link)
    },
    onPointerLeave: () => link.hover(undefined),
    onDoubleClick: () => link.zoomTo(undefined),
  }
  /**
   * A click on a cell selects it, as Enter does, so one on the selected cell keeps it. Any other click clears a selection,
   * and without one selects the point, if the page shows what is selected.
   */
  const open = (x: number, y: number | undefined): void => {
    const spec = source.read()
    const isOnCell = y !== undefined && cellAt(spec, x, y) !== undefined
    const isFree = link.state.selection === undefined
    if (link.selects && (isOnCell || isFree)) selectAt(spec, link, x, y)
    else link.select(undefined)
  }
  const isDrag = (event: PointerEvent<HTMLElement>, { from, clientX }: Drag, step = 0): boolean =>
    Math.abs(event.clientX - clientX) >= LEAST_DRAG_PX && Math.abs(pointed.current.x - from) >= step / 2
  return handlers
}

/** Whole columns from one x to another, or the span itself of a chart without columns. */
export function columnsOf({ x: { values, step = 0 } }: ChartSpec, one: number, other: number): Range {
  const [from, to] = [Math.min(one, other), Math.max(one, other)]
  if (step === 0) return { from, to }
  const at = (x: number): number => values[indexAt(values, x, step) ?? 0] ?? x
  return { from: at(from), to: at(to) + step }
}

/** Selects the cell of a heatmap that is there, or else the column. */
export function selectAt(spec: ChartSpec, link: ChartLink, x: number, y: number | undefined): void {
  link.select(columnsOf(spec, x, x), y === undefined ? undefined : cellAt(spec, x, y))
}

/** The selected span becomes the shown one. */
export function zoomToSelection(link: ChartLink): void {
  link.zoomTo(link.state.selection)
  link.select(undefined)
}

/** Place in percent of the plot's width. */
export const percentAt = (x: number, shown: Scale): number => shareAt(x, shown) * 100
