import type { SlowSplit } from '../../api/types'
import { latency } from '../../format'
import { splitParts } from './split'
import { Tip } from '../../ui/Tip'

/** Where the time went: a bar, and the same as text for those who do not see it. */
export function SplitBar({ split }: { split: SlowSplit }) {
  const parts = splitParts(split)
  const text = parts.map(({ label, ms, percent }) => `${label} ${latency(ms * 1e6)} (${percent}%)`).join(', ')
  return (
    <Tip text={text}>
      <div className="bars" role="img" aria-label={text} style={{ minWidth: 120 }}>
        {parts.map(({ key, colour, ms, total }) => (
          <i key={key} style={{ width: `${(ms / total) * 100}%`, background: colour }} />
        ))}
      </div>
    </Tip>
  )
}
