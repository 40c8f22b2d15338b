import { viridisColours } from '../../../charts/viridis'
import { isAmount, measures, nodeLevel, valuesOf, type Measure, type SegmentMap } from './segment-map'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

/** Nodes whose colours are shown one by one. */
const NODES = 8

const roles = [
  { words: t('primary here'), background: 'var(--fill-accent)' },
  { words: t('backup here'), background: 'linear-gradient(var(--track) 50%, var(--fill-warn) 50%)' },
  { words: t('on other nodes'), background: 'var(--track)' },
]

/** What the colours of the map mean. */
export function SegmentLegend({ map, measure }: { map: SegmentMap; measure: Measure }) {
  if (isAmount(measure)) {
    const { text } = measures[measure]
    return (
      <>
        <span className="scale">
          {text(0)} <i aria-hidden="true" /> {text(Math.max(0, ...valuesOf(map, measure)))}
        </span>
        <p className="mute small">{t('segments with none are grey')}</p>
      </>
    )
  }
  if (measure === 'role') {
    return (
      <span className="legend">
        {roles.map(({ words, background }) => (
          <span key={words}>
            <i aria-hidden="true" style={{ background }} />
            {words}
          </span>
        ))}
      </span>
    )
  }
  const nodes = map.ownership?.nodes ?? 0
  if (nodes > NODES) {
    return (
      <span className="scale">
        <Say text="node 0 {i} {nodes}" values={{ i: <i aria-hidden="true" />, nodes: nodes - 1 }} />
      </span>
    )
  }
  return (
    <span className="legend">
      {Array.from({ length: nodes }, (_, node) => (
        <span key={node}>
          <i aria-hidden="true" style={{ background: viridisColours[nodeLevel(node, nodes)] }} />
          {node === map.ownership?.self ? t('node {node}, this one', { node }) : t('node {node}', { node })}
        </span>
      ))}
    </span>
  )
}
