import { count } from '../../format'
import type { Figure } from '../../records/request/aggregate'
import { figureWords } from '../../records/figure-words'
import { ScrollTable } from '../../table/ScrollTable'

/** Results of aggregates: a table, and bars for each histogram. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  const values = figures.filter(({ value }) => value !== undefined)
  return (
    <div className="stack">
      {values.length > 0 && (
        <ScrollTable label="Figures">
          <thead>
            <tr>
              <th scope="col">figure</th>
              <th scope="col" className="right">
                value
              </th>
              <th scope="col" className="right">
                numbers
              </th>
              <th scope="col" className="right">
                others
              </th>
              <th scope="col" className="right">
                missing
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
    below > 0 && `${count(below)} below`,
    above > 0 && `${count(above)} above`,
    others > 0 && `${count(others)} not numbers`,
    missing > 0 && `${count(missing)} missing`,
  ].filter((part) => part !== false)
  return (
    <div className="stack-small">
      <div className="spread">
        <strong className="small">{name}</strong>
        <span className="mute small num">{beside.join(' · ')}</span>
      </div>
      {buckets.length === 0 && <p className="mute small">No number falls into a bucket.</p>}
      <div className="histogram-scroll" tabIndex={0} role="region" aria-label={`Histogram: ${name}`}>
        <ul className="histogram">
          {buckets.map((bucket) => (
            <li key={bucket.from}>
              <span className="num">
                {figureWords(String(bucket.from))} – {figureWords(String(bucket.to))}
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
