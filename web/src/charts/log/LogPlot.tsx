import type { Ref } from 'react'
import type { ChartColours } from '../theme'
import type { LogAxis, Series } from './series'
import type { LogFrame } from './log-frame'

interface Props {
  ref?: Ref<SVGSVGElement>
  label: string
  frame: LogFrame
  x: LogAxis
  y: LogAxis
  series: readonly Series[]
  colours: ChartColours
  /** the x under the pointer */
  at: number | undefined
}

const RADIUS = 4
const DASHES = '6 4'

/** The drawing of a log chart. It contains colours and fonts, because it can also be saved as an image. */
export function LogPlot({ ref, label, frame, x, y, series, colours, at }: Props) {
  const { width, height, left, right, top, bottom, xOf, yOf } = frame
  const text = { fontFamily: colours.mono, fontSize: 11, fill: colours.mute }
  return (
    <svg ref={ref} width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {series.map(({ name, colour, look }, index) => {
        const place = frame.legend[index] ?? { left: 0, top: 0 }
        return (
          <g key={name} transform={`translate(${place.left} ${place.top})`}>
            <Stroke d="M0 0H26" look={look} colour={colours[colour]} />
            <Dot x={13} y={0} look={look} colour={colours[colour]} ground={colours.panel} />
            <text x={32} y={4} {...text}>
              {name}
            </text>
          </g>
        )
      })}
      <text x={left - 54} y={top - 10} {...text}>
        {y.name}
      </text>
      {frame.yTicks.map((tick) => {
        const level = bottom - tick.at * (bottom - top)
        return (
          <g key={tick.text}>
            <line x1={left} x2={right} y1={level} y2={level} stroke={colours.line} />
            <text x={left - 8} y={level + 4} textAnchor="end" {...text}>
              {tick.text}
            </text>
          </g>
        )
      })}
      {frame.xTicks.map((tick) => {
        const across = left + tick.at * (right - left)
        return (
          <g key={tick.text}>
            <line x1={across} x2={across} y1={top} y2={bottom} stroke={colours.line} />
            <text x={across} y={bottom + 16} textAnchor="middle" {...text}>
              {tick.text}
            </text>
          </g>
        )
      })}
      <path d={`M${left} ${top}V${bottom}H${right}`} fill="none" stroke={colours.strong} />
      <text x={right} y={bottom + 33} textAnchor="end" {...text}>
        {x.name}
      </text>
      {at !== undefined && (
        <line x1={xOf(at)} x2={xOf(at)} y1={top} y2={bottom} stroke={colours.ink} strokeOpacity={0.55} />
      )}
      {series.map(({ name, colour, look, points }) => (
        <g key={name}>
          <Stroke
            d={points.map((point, index) => `${index === 0 ? 'M' : 'L'}${xOf(point.x)} ${yOf(point.y)}`).join('')}
            look={look}
            colour={colours[colour]}
          />
          {points.map((point) => (
            <Dot
              key={point.x}
              x={xOf(point.x)}
              y={yOf(point.y)}
              look={look}
              colour={colours[colour]}
              ground={colours.panel}
            />
          ))}
        </g>
      ))}
    </svg>
  )
}

function Stroke({ d, look, colour }: { d: string; look: Series['look']; colour: string }) {
  return (
    <path
      d={d}
      fill="none"
      stroke={colour}
      strokeWidth={2}
      strokeLinejoin="round"
      strokeDasharray={look === 'dashed' ? DASHES : undefined}
    />
  )
}

/** A full circle, or an open diamond that leaves other series visible. */
function Dot({
  x,
  y,
  look,
  colour,
  ground,
}: {
  x: number
  y: number
  look: Series['look']
  colour: string
  ground: string
}) {
  if (look === 'solid') return <circle cx={x} cy={y} r={RADIUS} fill={colour} />
  const reach = RADIUS + 2
  const d = `M${x} ${y - reach}L${x + reach} ${y}L${x} ${y + reach}L${x - reach} ${y}Z`
  return <path d={d} fill={ground} fillOpacity={0.4} stroke={colour} strokeWidth={1.8} />
}
