import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent, type PointerEvent } from 'react'
import { cellAfter, cellAt, gridFor, type Grid } from './cell-grid'
import { useChartTheme, type ChartTheme } from './theme'
import { useWidth } from './use-width'

/** A cell's square, in device pixels. */
export interface CellBox {
  left: number
  top: number
  size: number
}

/** Draws a cell. Must be the same function as long as it draws the same. */
export type PaintCell = (context: CanvasRenderingContext2D, box: CellBox, cell: number, colours: ChartTheme) => void

interface Props {
  label: string
  cells: number
  /** the whole map in words */
  whole: string
  wordsOf: (cell: number) => string
  paint: PaintCell
  /** maximum height, CSS pixels */
  height: number
  /** maximum width of a cell, CSS pixels */
  largest?: number
  /** called for a click on a cell, or Enter on the current one */
  onOpen?: (cell: number) => void
  /** the cell that is open; it stays marked */
  opened?: number | undefined
}

/** One square per cell of a map. The pointer and the arrow keys select a cell to describe. */
export function CellMap({ label, cells, whole, wordsOf, paint, height, largest, onOpen, opened }: Props) {
  const [frame, width] = useWidth<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [chosen, setChosen] = useState(opened ?? 0)
  const [shown, setShown] = useState(false)
  const [followed, setFollowed] = useState(opened)
  // A table or the browser history opened another cell; the arrow keys continue from it.
  if (opened !== followed) {
    setFollowed(opened)
    if (opened !== undefined) setChosen(opened)
  }
  const colours = useChartTheme()
  const grid = useMemo(() => gridFor(cells, width, height, largest), [cells, width, height, largest])
  const cell = Math.min(chosen, cells - 1)

  useEffect(() => {
    const marked = [opened, shown ? cell : undefined]
    if (canvas.current !== null && width > 0) draw(canvas.current, colours, grid, cells, paint, marked)
  }, [grid, cells, paint, width, cell, shown, opened, colours])

  const point = ({ nativeEvent: { offsetX, offsetY } }: PointerEvent): void => {
    const at = cellAt(grid, cells, offsetX, offsetY)
    setShown(at !== undefined)
    if (at !== undefined) setChosen(at)
  }
  const open = ({ nativeEvent: { offsetX, offsetY } }: MouseEvent): void => {
    const at = cellAt(grid, cells, offsetX, offsetY)
    if (at !== undefined) onOpen?.(at)
  }
  const press = (event: KeyboardEvent): void => {
    if (onOpen !== undefined && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault()
      onOpen(cell)
      return
    }
    const next = cellAfter(event.key, cell, grid, cells)
    if (next === undefined) return
    event.preventDefault()
    setShown(true)
    setChosen(next)
  }
  const words = wordsOf(cell)
  return (
    <div className="block-map" ref={frame}>
      <canvas
        ref={canvas}
        className={onOpen === undefined ? undefined : 'opens'}
        tabIndex={0}
        role="slider"
        aria-label={`${label}; ${whole}`}
        aria-valuemin={1}
        aria-valuemax={cells}
        aria-valuenow={cell + 1}
        aria-valuetext={words}
        onPointerMove={point}
        onPointerDown={point}
        onClick={open}
        onPointerLeave={() => setShown(false)}
        onFocus={() => setShown(true)}
        onBlur={() => setShown(false)}
        onKeyDown={press}
      />
      <p className="cell" aria-hidden="true">
        {shown ? words : `${whole}.`}
      </p>
    </div>
  )
}

function draw(
  canvas: HTMLCanvasElement,
  colours: ChartTheme,
  { side, pitch, columns, rows }: Grid,
  cells: number,
  paint: PaintCell,
  marked: readonly (number | undefined)[],
): void {
  const context = canvas.getContext('2d')
  if (context === null) return
  const ratio = window.devicePixelRatio
  const [width, height] = [columns * pitch, rows * pitch]
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  canvas.style.width = `${width}px`
  canvas.style.height = `${height}px`
  const px = (value: number): number => Math.round(value * ratio)
  for (let cell = 0; cell < cells; cell++) {
    const [left, top] = [px((cell % columns) * pitch), px(Math.floor(cell / columns) * pitch)]
    const size = px(side)
    context.fillStyle = colours.track
    context.fillRect(left, top, size, size)
    paint(context, { left, top, size }, cell, colours)
    if (marked.includes(cell)) {
      context.strokeStyle = colours.ink
      context.lineWidth = Math.max(1, Math.round(1.5 * ratio))
      context.strokeRect(left, top, size, size)
    }
  }
}
