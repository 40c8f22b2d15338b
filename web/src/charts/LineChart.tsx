import { useMemo, useState, type ReactNode } from 'react'
import { Button } from '../ui/Button'
import { Card } from '../ui/Card'
import { evenTicks, roundTop, type Tick } from './axes'
import { colourWord } from './colour-word'
import type { Scene } from './painter'
import { useChartColours, type ChartColours } from './theme'
import { useScene } from './use-scene'

export interface Line {
  name: string
  colour: 'accent' | 'good' | 'warn' | 'bad'
  /** one for each point of `x`; NaN where there is none */
  values: number[]
}

interface Props {
  title: string
  aside?: ReactNode
  height?: number
  /** what stands under each point: seconds from the beginning, say */
  x: number[]
  xText: (x: number) => string
  lines: Line[]
  valueText: (value: number) => string
}

const never = (): (() => void) => () => undefined
const TIMES = 6

/** Values along points that are evenly spaced, in a card with its legend and a table of the same numbers. */
export function LineChart({ title, aside, height = 150, x, xText, lines, valueText }: Props) {
  const colours = useChartColours()
  const [asTable, setAsTable] = useState(false)
  const scene = useMemo(() => lineScene(colours, x, lines, xText, valueText), [colours, x, lines, xText, valueText])
  const words = lines.map(({ name, values }) => `${name}: ${valueText(values.at(-1) ?? 0)}`).join(', ')
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
          </span>
          <Button
            small
            look="quiet"
            aria-label={asTable ? `Show ${title} as chart` : `Show ${title} as table`}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? 'Chart' : 'Table'}
          </Button>
        </>
      }
    >
      {asTable ? (
        <div className="chart-table" tabIndex={0} role="region" aria-label={title}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">at</th>
                {lines.map(({ name }) => (
                  <th key={name} scope="col" className="right">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {x.map((at, index) => (
                <tr key={index}>
                  <td className="num">{xText(at)}</td>
                  {lines.map(({ name, values }) => (
                    <td key={name} className="right">
                      {cellText(values[index], valueText)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <Canvas scene={scene} height={height} label={`${title}; newest: ${words}`} />
      )}
    </Card>
  )
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

function lineScene(
  colours: ChartColours,
  x: number[],
  lines: Line[],
  xText: Props['xText'],
  valueText: Props['valueText'],
): Scene {
  return {
    colours,
    paint: (raster, ratio) => {
      const most = Math.max(0, ...lines.flatMap(({ values }) => values.filter(Number.isFinite)))
      // The axis is made for whole numbers: small values are scaled up and back.
      const scale = most > 0 && most < 4 ? 10 ** Math.ceil(Math.log10(4 / most)) : 1
      const top = roundTop(most * scale) / scale
      const value = evenTicks(0, top, 2, valueText)
      const thin = Math.round(ratio)
      const thickness = 1.6 * ratio
      raster.clear(colourWord(colours.panel))
      for (const { at } of value) {
        const y = Math.round((raster.height - thin) * (1 - at))
        raster.rect(0, y, raster.width, y + thin, colourWord(colours.line))
      }
      for (const { values, colour } of lines) {
        const heights = Float64Array.from(
          values,
          (one) => raster.height - thickness / 2 - (raster.height - thickness) * (one / top),
        )
        raster.line(heights, thickness, colourWord(colours[colour]))
      }
      return { time: pointTicks(x, xText), value }
    },
  }
}

/** At most six labels, each under the middle of its point. */
export function pointTicks(x: number[], text: (x: number) => string): Tick[] {
  const step = Math.max(1, Math.ceil(x.length / TIMES))
  return x.flatMap((at, index) => (index % step === 0 ? [{ at: (index + 0.5) / x.length, text: text(at) }] : []))
}
