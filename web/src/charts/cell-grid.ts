/** A grid of square cells, CSS pixels. */
export interface Grid {
  /** side of a cell, and distance between cells */
  side: number
  pitch: number
  columns: number
  rows: number
}

const SIDES = [28, 24, 20, 17, 14, 12, 10, 8, 7, 6] as const
const LEAST_SIDE = 5
/** Default largest side of a cell. */
const USUAL_SIDE = 14
const GAP = 2

/** The largest cells, at most `largest`, so that `cells` of them fit into a width and, if possible, a height. */
export function gridFor(cells: number, width: number, height: number, largest: number = USUAL_SIDE): Grid {
  const grid = (side: number): Grid => {
    const pitch = side + (side < 8 ? 1 : GAP)
    const columns = Math.max(1, Math.floor((width + pitch - side) / pitch))
    return { side, pitch, columns: Math.min(columns, Math.max(1, cells)), rows: Math.ceil(cells / columns) }
  }
  const grids = SIDES.filter((side) => side <= largest).map(grid)
  return grids.find(({ rows, pitch }) => rows * pitch <= height) ?? grid(LEAST_SIDE)
}

/** The cell at a point, if any. */
export function cellAt({ pitch, columns }: Grid, cells: number, x: number, y: number): number | undefined {
  const [column, row] = [Math.floor(x / pitch), Math.floor(y / pitch)]
  const cell = row * columns + column
  return column >= 0 && column < columns && row >= 0 && cell < cells ? cell : undefined
}

/** The cell that a key leads to; undefined if the key is not for the map. */
export function cellAfter(key: string, cell: number, { columns }: Grid, cells: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowRight: cell + 1,
    ArrowLeft: cell - 1,
    ArrowDown: cell + columns,
    ArrowUp: cell - columns,
    Home: 0,
    End: cells - 1,
  }
  const next = steps[key]
  if (next === undefined) return undefined
  return next < 0 || next >= cells ? cell : next
}
