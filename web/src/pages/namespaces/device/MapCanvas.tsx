import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import type { BlockMap } from '../../../api/types'
import { useChartColours, type ChartColours } from '../../../charts/theme'
import { cellAfter, cellAt, cellWords, composition, gridFor, mapWords, parts, wholeOf, type Grid } from './block-map'

interface Props {
  label: string
  map: BlockMap
  blockBytes: number
  /** CSS pixels that it should not be higher than */
  height: number
}

/** A square for each cell, filled from its bottom with what it holds; the pointer and the arrow keys tell of one. */
export function MapCanvas({ label, map, blockBytes, height }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(0)
  const [chosen, setChosen] = useState(0)
  const [shown, setShown] = useState(false)
  const colours = useChartColours()
  const cells = map.free.length
  const grid = useMemo(() => gridFor(cells, width, height), [cells, width, height])
  const cell = Math.min(chosen, cells - 1)

  useEffect(() => {
    const sizes = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    if (frame.current !== null) sizes.observe(frame.current)
    return () => sizes.disconnect()
  }, [])
  useEffect(() => {
    if (canvas.current !== null && width > 0)
      draw(canvas.current, colours, grid, map, blockBytes, shown ? cell : undefined)
  }, [grid, map, blockBytes, width, cell, shown, colours])

  const point = ({ nativeEvent: { offsetX, offsetY } }: PointerEvent): void => {
    const at = cellAt(grid, cells, offsetX, offsetY)
    setShown(at !== undefined)
    if (at !== undefined) setChosen(at)
  }
  const press = (event: KeyboardEvent): void => {
    const next = cellAfter(event.key, cell, grid, cells)
    if (next === undefined) return
    event.preventDefault()
    setShown(true)
    setChosen(next)
  }
  const words = cellWords(map, blockBytes, cell)
  return (
    <div className="block-map" ref={frame}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="slider"
        aria-label={`${label}; ${mapWords(map, blockBytes)}`}
        aria-valuemin={1}
        aria-valuemax={cells}
        aria-valuenow={cell + 1}
        aria-valuetext={words}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setShown(false)}
        onFocus={() => setShown(true)}
        onBlur={() => setShown(false)}
        onKeyDown={press}
      />
      <p className="cell" aria-hidden="true">
        {shown ? words : `${mapWords(map, blockBytes)}.`}
      </p>
    </div>
  )
}

function draw(
  canvas: HTMLCanvasElement,
  colours: ChartColours,
  { side, pitch, columns, rows }: Grid,
  map: BlockMap,
  blockBytes: number,
  marked: number | undefined,
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
  map.free.forEach((_, cell) => {
    const held = composition(map, blockBytes, cell)
    const whole = wholeOf(held)
    const [left, top] = [px((cell % columns) * pitch), px(Math.floor(cell / columns) * pitch)]
    const size = px(side)
    context.fillStyle = colours.line
    context.fillRect(left, top, size, size)
    let bottom = top + size
    for (const { key, colour } of parts) {
      if (key === 'free' || held[key] === 0) continue
      // What is there at all is seen.
      const high = Math.min(bottom - top, Math.max(1, Math.round((held[key] / whole) * size)))
      context.fillStyle = colours[colour]
      context.fillRect(left, bottom - high, size, high)
      bottom -= high
    }
    if (cell === marked) {
      context.strokeStyle = colours.ink
      context.lineWidth = Math.max(1, Math.round(1.5 * ratio))
      context.strokeRect(left, top, size, size)
    }
  })
}
