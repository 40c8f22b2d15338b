import { useRef, type KeyboardEvent } from 'react'
import { cellAt, cellsAt } from '../spec/heat-cells'
import { indexAt, panned, xAt, zoomed } from '../spec/geometry'
import { fullRange, placeOf, xScale } from '../spec/scale'
import { columnsOf, selectAt, zoomToSelection } from './use-pointer'
import type { ChartLink } from './link'
import type { ChartSource } from './source'
import type { Range } from '../spec/spec'

const FAR = 10
const ZOOM_FACTOR = 2

const isWithin = (value: number, { from, to }: Range): boolean => value >= from && value < to

/**
 * The chart by keys: arrows move the crosshair by a point, with Alt by ten, with Shift they select. On a heatmap, up and
 * down move it between the cells of a column. Plus and minus zoom, Enter selects the point or cell, or zooms to it if it
 * is selected; 0 shows all, Escape clears.
 */
export function useKeys(source: ChartSource, link: ChartLink, owner: string): (event: KeyboardEvent) => void {
  const selectFrom = useRef<number>(undefined)

  const move = (steps: number, selects: boolean): void => {
    const spec = source.read()
    const { values, step = 0 } = spec.x
    const last = values.length - 1
    const here = link.state.at === undefined ? last : indexAt(values, link.state.at, step)
    if (here === undefined) return
    const next = Math.max(0, Math.min(last, here + steps))
    const place = (index: number): number => placeOf(spec.x, values[index] ?? 0)
    if (selects) {
      selectFrom.current ??= place(here)
      link.select(columnsOf(spec, selectFrom.current, place(next)))
    } else selectFrom.current = undefined
    follow(place(next))
    link.hover(place(next), owner, { byKeys: true, y: link.state.y })
  }
  /** Only what was counted is a cell. The first step up meets the lowest one, the first step down the highest. */
  const climb = (isUp: boolean): void => {
    const spec = source.read()
    const at = link.state.at ?? placeOf(spec.x, spec.x.values.at(-1) ?? 0)
    const { y = isUp ? -1 : Infinity } = link.state
    const cells = cellsAt(spec, at)
    const next = isUp ? cells.find(({ from }) => from > y) : cells.findLast(({ to }) => to <= y)
    link.hover(at, owner, { byKeys: true, y: next?.from ?? link.state.y })
  }
  /** The zoom moves along with a crosshair that leaves it. */
  const follow = (x: number): void => {
    const { zoom } = link.state
    if (zoom === undefined || (x >= zoom.from && x <= zoom.to)) return
    const shown = xScale(source.read().x, zoom)
    const by = x < shown.from ? x - shown.from : x - shown.to
    link.zoomTo(panned(shown, fullRange(source.read().x), by / (shown.to - shown.from)) ?? zoom)
  }
  const zoom = (factor: number): void => {
    const shown = xScale(source.read().x, link.state.zoom)
    link.zoomTo(zoomed(shown, fullRange(source.read().x), link.state.at ?? xAt(0.5, shown), factor))
  }
  /** Zooms to the selection, unless the crosshair is at a point or cell that is not selected and can be. */
  const enter = (): boolean => {
    const { at, selection } = link.state
    if (link.selects && at !== undefined && !isSelected(at)) selectAt(source.read(), link, at, link.state.y)
    else if (selection !== undefined) zoomToSelection(link)
    else return false
    return true
  }
  const isSelected = (at: number): boolean => {
    const { selection, y, cell } = link.state
    if (selection === undefined || !isWithin(at, selection)) return false
    const under = y === undefined ? undefined : cellAt(source.read(), at, y)
    if (under === undefined) return true
    // A single column that is selected as a whole still has cells to select.
    return cell === undefined ? columnsOf(source.read(), at, at).to < selection.to : under.from === cell.from
  }
  return (event) => {
    const steps = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    if (event.ctrlKey || event.metaKey) return
    if (event.key === 'Escape') {
      selectFrom.current = undefined
      link.select(undefined)
      link.hover(undefined)
      return
    }
    if (steps !== 0) move(steps * (event.altKey ? FAR : 1), event.shiftKey)
    else if (source.read().heat !== undefined && (event.key === 'ArrowUp' || event.key === 'ArrowDown'))
      climb(event.key === 'ArrowUp')
    else if (event.key === 'Home') move(-Infinity, event.shiftKey)
    else if (event.key === 'End') move(Infinity, event.shiftKey)
    else if (event.key === '+' || event.key === '=') zoom(1 / ZOOM_FACTOR)
    else if (event.key === '-') zoom(ZOOM_FACTOR)
    else if (event.key === '0') link.zoomTo(undefined)
    else if (event.key !== 'Enter' || !enter()) return
    event.preventDefault()
  }
}
