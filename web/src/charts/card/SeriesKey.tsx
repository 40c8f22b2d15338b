import { lookOf } from '../spec/palette'
import type { SeriesColour } from '../spec/spec'

const symbols = {
  circle: <circle cx="10" cy="5" r="3" />,
  diamond: <path d="M10 1l4 4-4 4-4-4z" />,
  triangle: <path d="M10 1.5l4 7h-8z" />,
  rect: <path d="M7 2h6v6H7z" />,
} as const

/** The line and symbol of a series, as in the chart. */
export function SeriesKey({ colour }: { colour: SeriesColour }) {
  const { dash, symbol, variable, edged = false } = lookOf(colour)
  const paint = `var(${variable})`
  return (
    <svg className="key" viewBox="0 0 20 10" width="20" height="10" aria-hidden="true">
      {edged && <path d="M0 5h20" stroke="var(--heat-edge)" strokeWidth="4" strokeDasharray={dash.join(' ')} />}
      <path d="M0 5h20" stroke={paint} strokeWidth="2" strokeDasharray={dash.join(' ')} />
      <g fill={paint} stroke={edged ? 'var(--heat-edge)' : undefined}>
        {symbols[symbol]}
      </g>
    </svg>
  )
}
