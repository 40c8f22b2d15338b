import { count } from '../../../format'

export interface Bar {
  name: string
  count: number
}

/** Bars with their names and counts, as a list. */
export function Histogram({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map((bar) => bar.count))
  return (
    <ul className="histogram" aria-label={label}>
      {bars.map((bar) => (
        <li key={bar.name}>
          <span>{bar.name}</span>
          <i>
            <b style={{ width: `${(bar.count / most) * 100}%` }} />
          </i>
          <span className="num">{count(bar.count)}</span>
        </li>
      ))}
    </ul>
  )
}
