import { useMemo } from 'react'
import { ChartCard } from '../../../charts/card/ChartCard'
import type { ChartSpec, SeriesColour } from '../../../charts/spec/spec'

export interface Line {
  name: string
  colour: SeriesColour
  points: readonly { x: number; ms: number }[]
}

interface Props {
  title: string
  aside: string
  /** names of the axes */
  x: string
  y: string
  lines: readonly Line[]
}

const HEIGHT = 300
const NS_PER_MS = 1e6

/** Elapsed times against an amount, both logarithmic. Lines may have their own points. */
export function LogChart({ title, aside, x, y, lines }: Props) {
  const spec = useMemo((): ChartSpec => {
    const values = [...new Set(lines.flatMap(({ points }) => points.map((point) => point.x)))].toSorted((a, b) => a - b)
    return {
      x: { name: x, titled: true, scale: 'log', format: 'count', values },
      y: { name: y, scale: 'log', format: 'latency' },
      series: lines.map(({ name, colour, points }) => {
        const nsAt = new Map(points.map((point) => [point.x, point.ms * NS_PER_MS]))
        return { id: name, name, colour, look: 'points', values: values.map((value) => nsAt.get(value) ?? null) }
      }),
    }
  }, [x, y, lines])
  return <ChartCard title={title} aside={aside} spec={spec} height={HEIGHT} />
}
