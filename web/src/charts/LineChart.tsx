import { useMemo, useState, type ReactNode } from 'react'
import { Card } from '../ui/Card'
import { axisTop, evenTicks, latencyPlace, logTicks, type Tick } from './axes'
import { ChartTable } from './ChartTable'
import { colourWord } from './paint/colour-word'
import type { Scene } from './paint/painter'
import { TableToggle } from './TableToggle'
import { useChartColours, type ChartColours } from './theme'
import { useScene } from './paint/use-scene'

export interface Line {
  name: string
  colour: 'accent' | 'good' | 'warn' | 'bad'
  /** one value per point of `x`; NaN: none */
  values: number[]
}

export interface Stretch {
  from: number
  to: number
}

interface Props {
  title: string
  aside?: ReactNode
  height?: number
  /** x values of the points, for example seconds from the start */
  x: number[]
  xText: (x: number) => string
  lines: Line[]
  valueText: (value: number) => string
  /** labels under the plot; default: one under each point */
  ticks?: Tick[] | undefined
  /** the value axis reaches at least to here */
  least?: number | undefined
  /** the value axis is logarithmic and begins here: a power of ten */
  logFrom?: number | undefined
  /** places of upright rules, 0 to 1 of the width */
  marks?: readonly number[]
  /** highlighted ranges of the width, 0 to 1, with labels; keep the same array as long as they do not change */
  spans?: { name: string; places: readonly Stretch[] } | undefined
  /** the unit in which the value axis has round numbers, from the highest value */
  unitOf?: ((most: number) => number) | undefined
}

const noMarks: readonly number[] = []
const noSpans: readonly Stretch[] = []
const never = (): (() => void) => () => undefined
const one = (): number => 1
const TIMES = 6

/** Values along points that are evenly spaced, in a card with its legend and a table of the same numbers. */
export function LineChart({
  title,
  aside,
  height = 150,
  x,
  xText,
  lines,
  valueText,
  ticks,
  least = 0,
  logFrom,
  marks = noMarks,
  spans,
  unitOf = one,
}: Props) {
  const colours = useChartColours()
  const [asTable, setAsTable] = useState(false)
  const scene = useMemo(
    () =>
      lineScene(colours, lines, ticks ?? pointTicks(x, xText), valueText, {
        least,
        logFrom,
        marks,
        spans: spans?.places ?? noSpans,
        unitOf,
      }),
    [colours, x, lines, xText, valueText, ticks, least, logFrom, marks, spans, unitOf],
  )
  const words = lines.map(({ name, values }) => `${name}: ${cellText(newest(values), valueText)}`).join(', ')
  return (
    <Card
      title={title}
      aside={aside}
      end={
        <>
          <span className="legend" aria-hidden="true">
            {lines.map(({ name, colour }) => (
              <span key={name}>
                <i className="line" style={{ background: colours[colour] }} />
                {name}
              </span>
            ))}
            {spans !== undefined && (
              <span>
                <i style={{ background: colours.none }} />
                {spans.name}
              </span>
            )}
          </span>
          <TableToggle title={title} asTable={asTable} onChange={setAsTable} />
        </>
      }
    >
      {asTable ? (
        <ChartTable
          caption={title}
          head={['at', ...lines.map(({ name }) => name)]}
          rows={x.map((at, index) => [xText(at), ...lines.map(({ values }) => cellText(values[index], valueText))])}
        />
      ) : (
        <Canvas scene={scene} height={height} label={`${title}; newest: ${words}`} />
      )}
    </Card>
  )
}

function newest(values: readonly number[]): number | undefined {
  return values.findLast((value) => !Number.isNaN(value))
}

function cellText(value: number | undefined, text: Props['valueText']): string {
  return value === undefined || Number.isNaN(value) ? '–' : text(value)
}

function Canvas({ scene, height, label }: { scene: Scene; height: number; label: string }) {
  const canvas = useScene(scene, never)
  return (
    <div className="pane">
      <canvas ref={canvas} className="chart" style={{ height }} aria-hidden="true" />
      <span className="visually-hidden" role="img" aria-label={label} />
    </div>
  )
}

interface Axis {
  least: number
  logFrom: number | undefined
  marks: readonly number[]
  spans: readonly Stretch[]
  unitOf: (most: number) => number
}

/** The value axis: position of a value, 0 to 1, and labels. */
function valueAxis(most: number, { logFrom, unitOf }: Axis, text: Props['valueText']) {
  if (logFrom !== undefined) {
    const top = Math.max(10 * logFrom, 10 ** Math.ceil(Math.log10(most)))
    return { ticks: logTicks(logFrom, top, text), place: (value: number) => latencyPlace(value, logFrom, top) }
  }
  const top = axisTop(most, unitOf(most))
  return { ticks: evenTicks(0, top, 2, text), place: (value: number) => value / top }
}

function lineScene(
  colours: ChartColours,
  lines: Line[],
  time: Tick[],
  valueText: Props['valueText'],
  axis: Axis,
): Scene {
  const { least, marks, spans } = axis
  return {
    colours,
    paint: (raster, ratio) => {
      const most = Math.max(least, ...lines.flatMap(({ values }) => values.filter(Number.isFinite)))
      const { ticks: value, place } = valueAxis(most, axis, valueText)
      const thin = Math.round(ratio)
      const thickness = 1.6 * ratio
      raster.clear(colourWord(colours.panel))
      for (const { from, to } of spans) {
        const left = Math.min(raster.width - 2 * thin, Math.round(raster.width * from))
        // Keep short ranges visible.
        const right = Math.max(left + 2 * thin, Math.round(raster.width * to))
        raster.rect(left, 0, right, raster.height, colourWord(colours.none))
      }
      for (const { at } of value) {
        const y = Math.round((raster.height - thin) * (1 - at))
        raster.rect(0, y, raster.width, y + thin, colourWord(colours.line))
      }
      for (const at of marks) {
        const left = Math.min(raster.width - thin, Math.round(raster.width * at))
        raster.rect(left, 0, left + thin, raster.height, colourWord(colours.ink))
      }
      for (const { values, colour } of lines) {
        const heights = Float64Array.from(
          values,
          (one) => raster.height - thickness / 2 - (raster.height - thickness) * place(one),
        )
        raster.line(heights, thickness, colourWord(colours[colour]))
      }
      return { time, value }
    },
  }
}

/** At most six labels, each under the middle of its point. */
export function pointTicks(x: number[], text: (x: number) => string): Tick[] {
  const step = Math.max(1, Math.ceil(x.length / TIMES))
  return x.flatMap((at, index) => (index % step === 0 ? [{ at: (index + 0.5) / x.length, text: text(at) }] : []))
}
