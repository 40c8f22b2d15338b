import { useMemo } from 'react'
import type { ClusterView } from '../../../api/types'
import { share } from '../../../format'
import { Card } from '../../../ui/Card'
import { partOf, stretchesOf } from './ranges'

const roles = [
  { words: 'owns the tokens', background: 'var(--fill-accent)' },
  { words: 'has a copy', background: 'var(--fill-warn)' },
  { words: 'has none', background: 'var(--track)' },
]

/** The ring from its smallest token to its largest, once for each node. */
export function RangeCard({ view }: { view: ClusterView }) {
  return (
    <Card
      title="Ranges of tokens"
      aside={view.exact ? 'from the smallest token to the largest' : 'in 512 parts, each with the nodes of its middle'}
    >
      <span className="legend">
        {roles.map(({ words, background }) => (
          <span key={words}>
            <i aria-hidden="true" style={{ background }} />
            {words}
          </span>
        ))}
      </span>
      <ul className="rings" aria-label="What each node has of the ring">
        {view.nodes.map((node, at) => (
          <Strip key={node.id} ranges={view.ranges} at={at} address={node.address} />
        ))}
      </ul>
    </Card>
  )
}

function Strip({ ranges, at, address }: { ranges: ClusterView['ranges']; at: number; address: string }) {
  const stretches = useMemo(() => stretchesOf(ranges, at), [ranges, at])
  const owned = partOf(stretches.filter((stretch) => stretch.owned))
  return (
    <li>
      <code>{address}</code>
      <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        {stretches.map(({ from, to, owned: own }) => (
          <rect
            key={from}
            x={from}
            width={to - from}
            height={1}
            style={{ fill: own ? 'var(--fill-accent)' : 'var(--fill-warn)' }}
          />
        ))}
      </svg>
      <span>
        owns {share(owned)}, has {share(partOf(stretches))}
      </span>
    </li>
  )
}
