import { useCallback } from 'react'
import type { BlockMap } from '../../../api/types'
import { CellMap, type PaintCell } from '../../../charts/CellMap'
import { cellWords, composition, mapWords, parts, wholeOf } from './block-map'

interface Props {
  label: string
  map: BlockMap
  blockBytes: number
  /** maximum height, CSS pixels */
  height: number
}

/** Each cell is filled with its contents from the bottom. */
export function MapCanvas({ label, map, blockBytes, height }: Props) {
  const paint = useCallback<PaintCell>(
    (context, { left, top, size }, cell, colours) => {
      const held = composition(map, blockBytes, cell)
      const whole = wholeOf(held)
      let bottom = top + size
      for (const { key, colour } of parts) {
        if (key === 'free' || held[key] === 0) continue
        // Draw at least one pixel of each part.
        const high = Math.min(bottom - top, Math.max(1, Math.round((held[key] / whole) * size)))
        context.fillStyle = colours[colour]
        context.fillRect(left, bottom - high, size, high)
        bottom -= high
      }
    },
    [map, blockBytes],
  )
  return (
    <CellMap
      label={label}
      cells={map.free.length}
      whole={mapWords(map, blockBytes)}
      wordsOf={(cell) => cellWords(map, blockBytes, cell)}
      paint={paint}
      height={height}
    />
  )
}
