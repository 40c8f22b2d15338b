import { count } from '../../format'
import type { Figure } from '../../records/request/aggregate'
import { figureWords } from '../../records/figure-words'
import { ScrollTable } from '../../table/ScrollTable'
import { t } from '../../language/text'

/** Results of aggregates: a table, and bars for each histogram. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  const values = figures.filter(({ value }) => value !== undefined)
  return (
    <div className="stack">
      {values.length > 0 && (
        <ScrollTable label={t('Figures')}>
          <thead>
            <tr>
              <th scope="col">{t('figure')}</th>
              <th scope="col" className="right">
                {t('value')}
              </th>
              <th scope="col" className="right">
                {t('numbers')}
              </th>
              <th scope="col" className="right">
                {t('others')}
              </th>
              <th scope="col" className="right">
                {t('missing')}
              </th>
            </tr>
          </thead>
          <tbody>
            {values.map(({ name, value, numbers, others, missing }) => (
              <tr key={name}>
                <td>{name}</td>
                <td className="right">{value !== undefined && figureWords(value)}</td>
                <td className="right mute">{numbers === undefined ? '' : count(numbers)}</td>
                <td className="right mute">{numbers === undefined ? '' : count(others)}</td>
                <td className="right mute">{missing === 0 ? '' : count(missing)}</td>
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      )}
      {figures.map(
        (figure) =>
          figure.buckets !== undefined && <Histogram key={figure.name} figure={figure} buckets={figure.buckets} />,
      )}
    </div>
  )
}

interface HistogramProps {
  figure: Figure
  buckets: NonNullable<Figure['buckets']>
}

function Histogram({ figure: { name, below, above, others, missing }, buckets }: HistogramProps) {
  const most = Math.max(1, ...buckets.map((bucket) => bucket.count))
  const beside = [
    below > 0 && t('{below} below', { below: count(below) }),
    above > 0 && t('{above} above', { above: count(above) }),
    others > 0 && t('{others} not numbers', { others: count(others) }),
    missing > 0 && t('{missing} missing', { missing: count(missing) }),
  ].filter((part) => part !== false)
  return (
    <div className="stack-small">
      <div className="spread">
        <strong className="small">{name}</strong>
        <span className="mute small num">{beside.join(' · ')}</span>
      </div>
      {buckets.length === 0 && <p className="mute small">{t('No number falls into a bucket.')}</p>}
      <div className="histogram-scroll" tabIndex={0} role="region" aria-label={t('Histogram: {name}', { name })}>
        <ul className="histogram">
          {buckets.map((bucket) => (
            <li key={bucket.from}>
              <span className="num">
                {figureWords(String(bucket.from))}
                {' – '}
                {figureWords(String(bucket.to))}
              </span>
              <i aria-hidden="true">
                <b style={{ width: `${(bucket.count / most) * 100}%` }} />
              </i>
              <span className="num">{count(bucket.count)}</span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
