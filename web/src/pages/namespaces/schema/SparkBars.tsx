import type { BinProfile } from '../../../api/types'
import { t } from '../../../language/text'

const WIDTH = 84
const HEIGHT = 20

/** How values, or lengths, are spread: small bars without axes. */
export function SparkBars({ name, histogram }: { name: string; histogram: BinProfile['histogram'] }) {
  if (histogram === undefined) return <span className="mute">–</span>
  const { of, buckets } = histogram
  const most = Math.max(1, ...buckets.map(({ count }) => count))
  const width = WIDTH / Math.max(1, buckets.length)
  return (
    <svg
      className="spark-bars"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={
        of === 'value'
          ? t('How the numbers of {name} are spread', { name })
          : t('How the lengths of {name} are spread', { name })
      }
    >
      <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="var(--line)" />
      {buckets.map(({ from, count }, at) => {
        const height = count === 0 ? 0 : Math.max(1, (count / most) * (HEIGHT - 2))
        return (
          <rect
            key={from}
            x={at * width + 0.5}
            y={HEIGHT - 1 - height}
            width={Math.max(1, Math.min(width - 1, 24))}
            height={height}
            fill="var(--fill-accent)"
          />
        )
      })}
    </svg>
  )
}
