import type { SpeedUpRow } from './speed-up'

const WIDTH = 320
const HEIGHT = 200
const PLOT = { left: 34, right: WIDTH - 10, top: 12, bottom: HEIGHT - 34 }

/** Speed-up by threads. Both axes have the same scale, so the ideal is the diagonal. */
export function SpeedUpChart({ rows }: { rows: readonly SpeedUpRow[] }) {
  const most = Math.max(...rows.map(({ threads }) => threads))
  const top = Math.max(most, ...rows.map(({ speedUp }) => speedUp ?? 0))
  const x = (threads: number): number => PLOT.left + (threads / most) * (PLOT.right - PLOT.left)
  const y = (speedUp: number): number => PLOT.bottom - (speedUp / top) * (PLOT.bottom - PLOT.top)
  const points = rows.flatMap(({ threads, speedUp }) => (speedUp === undefined ? [] : [{ threads, speedUp }]))
  const path = points.map(({ threads, speedUp }, at) => `${at === 0 ? 'M' : 'L'}${x(threads)} ${y(speedUp)}`).join('')
  const told = points.map(({ threads, speedUp }) => `${threads} threads ${speedUp.toFixed(2)}`).join(', ')
  return (
    <svg
      className="speed-up"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`Speed-up against one thread: ${told === '' ? 'nothing measured yet' : told}`}
    >
      {rows.map(({ threads }) => (
        <g key={threads}>
          <line className="grid" x1={PLOT.left} x2={PLOT.right} y1={y(threads)} y2={y(threads)} />
          <text x={PLOT.left - 6} y={y(threads) + 4} textAnchor="end">
            {threads}×
          </text>
          <text x={x(threads)} y={PLOT.bottom + 15} textAnchor="middle">
            {threads}
          </text>
        </g>
      ))}
      <line className="grid" x1={PLOT.left} x2={PLOT.right} y1={PLOT.bottom} y2={PLOT.bottom} />
      <text x={(PLOT.left + PLOT.right) / 2} y={HEIGHT - 4} textAnchor="middle">
        threads
      </text>
      <line className="ideal" x1={x(1)} y1={y(1)} x2={x(most)} y2={y(most)} />
      <path className="measured" d={path} />
      {points.map(({ threads, speedUp }) => (
        <circle key={threads} cx={x(threads)} cy={y(speedUp)} r="3.5" />
      ))}
    </svg>
  )
}
