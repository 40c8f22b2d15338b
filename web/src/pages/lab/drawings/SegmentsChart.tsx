import { useMemo } from 'react'
import { Card } from '../../../ui/Card'
import type { DrawingProps } from './drawing-props'
import { intervalsOf, placeOn, timesText, type Interval } from './segments-intervals'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

/** The ratio of the containers for each operation, each on its own axis: as published, and in this run. */
export function SegmentsChart({ experiment, report }: DrawingProps) {
  const intervals = useMemo(() => intervalsOf(experiment.published.rows, report.rows), [experiment, report])
  return (
    <Card
      title={t('Segmented against flat')}
      aside={t('how many times as fast; each operation has its own axis')}
      end={
        <span className="legend" aria-hidden="true">
          <span>
            <Say text="{i}published" values={{ i: <i style={{ background: 'var(--fill-warn)' }} /> }} />
          </span>
          <span>
            <Say
              text="{i}measured: median and quartiles of the pairs"
              values={{ i: <i style={{ background: 'var(--fill-accent)' }} /> }}
            />
          </span>
        </span>
      }
    >
      <ul className="intervals">
        {intervals.map((interval) => (
          <IntervalRow key={interval.operation} interval={interval} />
        ))}
      </ul>
    </Card>
  )
}

function IntervalRow({ interval }: { interval: Interval }) {
  const { operation, says, published, low, high, ratio, pairs } = interval
  const { axis, at } = placeOn(interval)
  const span = (from: number, to: number) => ({ left: at(from), width: `calc(${at(to)} - ${at(from)} + 2px)` })
  const words = t('{ratio} here, half of {pairs, plural, one {# pair} other {# pairs}} from {low} to {high}', {
    ratio: timesText(ratio),
    pairs,
    low: timesText(low),
    high: timesText(high),
  })
  return (
    <li>
      <div className="spread">
        <strong>{operation}</strong>
        <span className="small">
          {words}
          {'; '}
          <span className="mute">{t('published: {says}', { says })}</span>
        </span>
      </div>
      <div className="track" aria-hidden="true">
        <u style={{ left: at(1) }} />
        <b className="published" style={span(...published)} />
        <b className="here" style={span(low, high)} />
        <s style={{ left: at(ratio) }} />
      </div>
      <div className="spread mute small num" aria-hidden="true">
        <span>{timesText(axis[0])}</span>
        <span>{timesText(axis[1])}</span>
      </div>
    </li>
  )
}
