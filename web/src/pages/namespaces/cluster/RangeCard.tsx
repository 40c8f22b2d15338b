import { useMemo } from 'react'
import type { ClusterView } from '../../../api/types'
import { share } from '../../../format'
import { Card } from '../../../ui/Card'
import { partOf, stretchesOf } from './ranges'
import { t } from '../../../language/text'

const roles = [
  { words: t('owns the tokens'), background: 'var(--fill-accent)' },
  { words: t('has a copy'), background: 'var(--fill-warn)' },
  { words: t('has none'), background: 'var(--track)' },
]

/** The ring from its smallest token to its largest, once for each node. */
export function RangeCard({ view }: { view: ClusterView }) {
  return (
    <Card
      title={t('Ranges of tokens')}
      aside={
        view.exact ? t('from the smallest token to the largest') : t('in 512 parts, each with the nodes of its middle')
      }
    >
      <span className="legend">
        {roles.map(({ words, background }) => (
          <span key={words}>
            <i aria-hidden="true" style={{ background }} />
            {words}
          </span>
        ))}
      </span>
      <ul className="rings" aria-label={t('What each node has of the ring')}>
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
      <span>{t('owns {owned}, has {stretches}', { owned: share(owned), stretches: share(partOf(stretches)) })}</span>
    </li>
  )
}
