import { useMemo, useRef, useState, type PointerEvent, type ReactNode, type RefObject } from 'react'
import { saveFile } from '../../components/save-file'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { ChartTable } from '../ChartTable'
import { TableToggle } from '../TableToggle'
import { useChartColours } from '../theme'
import { useWidth } from '../use-width'
import { logFrame } from './log-frame'
import { LogPlot } from './LogPlot'
import type { LogAxis, Series } from './series'
import { svgPng } from './svg-png'

interface Props {
  title: string
  aside?: ReactNode
  x: LogAxis
  y: LogAxis
  series: readonly Series[]
}

/**
 * Points on two logarithmic axes, joined by lines, in a card with a legend, a table of the same
 * numbers, and a PNG download.
 */
export function LogChart({ title, aside, x, y, series }: Props) {
  const colours = useChartColours()
  const [asTable, setAsTable] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const svg = useRef<SVGSVGElement>(null)
  const values = useMemo(
    () => [...new Set(series.flatMap(({ points }) => points.map((point) => point.x)))].toSorted((a, b) => a - b),
    [series],
  )
  const texts = (at: number): string[] => series.map((one) => textAt(one, at, y))
  const png = async (): Promise<void> => {
    if (svg.current === null) return
    const sheet = { title, background: colours.panel, ink: colours.ink, font: colours.mono }
    setFailure(undefined)
    try {
      saveFile(`${title}.png`, await svgPng(svg.current, sheet))
    } catch (error) {
      setFailure(error)
    }
  }
  return (
    <Card
      title={title}
      aside={aside}
      end={
        <>
          {!asTable && (
            <Button small look="quiet" aria-label={`Save ${title} as PNG`} onClick={() => void png()}>
              PNG
            </Button>
          )}
          <TableToggle title={title} asTable={asTable} onChange={setAsTable} />
        </>
      }
    >
      <Problem error={failure} />
      {asTable ? (
        <ChartTable
          caption={title}
          head={[x.name, ...series.map(({ name }) => name)]}
          rows={values.map((at) => [x.text(at), ...texts(at)])}
        />
      ) : (
        <Plot {...{ svg, title, x, y, series, values, texts, colours }} />
      )}
    </Card>
  )
}

interface PlotProps extends Props {
  svg: RefObject<SVGSVGElement | null>
  values: readonly number[]
  /** the values of the series at an x */
  texts: (at: number) => string[]
  colours: ReturnType<typeof useChartColours>
}

/** The drawing, as wide as its card, with the values nearest to the pointer. */
function Plot({ svg, title, x, y, series, values, texts, colours }: PlotProps) {
  const [box, width] = useWidth<HTMLDivElement>()
  const [at, setAt] = useState<number>()
  const frame = useMemo(() => logFrame(width, series, x, y), [width, series, x, y])
  const hover = (event: PointerEvent<HTMLDivElement>): void => {
    const across = event.clientX - event.currentTarget.getBoundingClientRect().left
    const away = (value: number): number => Math.abs(frame.xOf(value) - across)
    setAt(values.toSorted((a, b) => away(a) - away(b))[0])
  }
  return (
    <div
      ref={box}
      className="pane"
      style={{ minHeight: frame.height }}
      onPointerMove={hover}
      onPointerDown={hover}
      onPointerLeave={() => setAt(undefined)}
    >
      {width > 0 && values.length > 0 && (
        <LogPlot
          ref={svg}
          label={`${title}; see the table for the numbers`}
          {...{ frame, x, y, series, colours, at }}
        />
      )}
      {at !== undefined && (
        <div className="tip floating" style={{ top: frame.top + 6, ...beside(frame.xOf(at), width) }}>
          <dl>
            <dt>{x.name}</dt>
            <dd>{x.text(at)}</dd>
            {texts(at).map((text, index) => (
              <Pair key={series[index]?.name} name={series[index]?.name ?? ''} text={text} />
            ))}
          </dl>
        </div>
      )}
    </div>
  )
}

function Pair({ name, text }: { name: string; text: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </>
  )
}

const beside = (left: number, width: number): { left: number } | { right: number } =>
  left > width / 2 ? { right: width - left + 12 } : { left: left + 12 }

function textAt({ points }: Series, x: number, { text }: LogAxis): string {
  const point = points.find((one) => one.x === x)
  return point === undefined ? '–' : text(point.y)
}
