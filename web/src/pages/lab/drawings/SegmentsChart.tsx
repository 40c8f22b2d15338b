import { useMemo } from 'react'
import { plural } from '../../../format'
import { Card } from '../../../ui/Card'
import type { DrawingProps } from './drawing-props'
import { intervalsOf, placeOn, timesText, type Interval } from './segments-intervals'

/** The ratio of the containers for each operation, each on its own axis: as published, and in this run. */
export function SegmentsChart({ experiment, report }: DrawingProps) {
  const intervals = useMemo(() => intervalsOf(experiment.published.rows, report.rows), [experiment, report])
  return (
    <Card
      title="Segmented against flat"
      aside="how many times as fast; each operation has its own axis"
      end={
        <span className="legend" aria-hidden="true">
          <span>
            <i style={{ background: 'var(--fill-warn)' }} />
            published
          </span>
          <span>
            <i style={{ background: 'var(--fill-accent)' }} />
            measured: median and quartiles of the pairs
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
  const words = `${timesText(ratio)} here, half of ${plural(pairs, 'pair')} from ${timesText(low)} to ${timesText(high)}`
  return (
    <li>
      <div className="spread">
        <strong>{operation}</strong>
        <span className="small">
          {words}; <span className="mute">published: {says}</span>
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
