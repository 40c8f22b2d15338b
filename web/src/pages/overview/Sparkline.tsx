import { t } from '../../language/text'

interface Props {
  label: string
  /** one value per column; undefined: a gap */
  values: (number | undefined)[]
  floor?: number
  ceiling?: number
  tone?: 'accent' | 'good' | 'bad'
}

const WIDTH = 200
const HEIGHT = 34

/** A small line without axes; gaps stay gaps. */
export function Sparkline({ label, values, floor = 0, ceiling, tone = 'accent' }: Props) {
  const known = values.filter((value) => value !== undefined)
  const top = ceiling ?? Math.max(floor + 1e-9, ...known)
  const x = (index: number): number => (index / Math.max(1, values.length - 1)) * WIDTH
  const y = (value: number): number =>
    HEIGHT - 2 - ((Math.max(floor, Math.min(top, value)) - floor) / (top - floor || 1)) * (HEIGHT - 5)
  let path = ''
  values.forEach((value, index) => {
    if (value !== undefined)
      path += `${index === 0 || values[index - 1] === undefined ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`
  })
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={known.length === 0 ? t('{label}: no data yet', { label }) : label}
    >
      <line x1="0" x2={WIDTH} y1={HEIGHT - 1} y2={HEIGHT - 1} stroke="var(--line)" vectorEffect="non-scaling-stroke" />
      <path
        d={path}
        fill="none"
        stroke={`var(--fill-${tone})`}
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
