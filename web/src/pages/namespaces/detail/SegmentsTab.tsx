import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { segmentsQuery } from '../../../api/queries'
import type { Segment } from '../../../api/types'
import { bytes, count, share } from '../../../format'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { Segmented } from '../../../ui/Segmented'
import { Skeleton } from '../../../ui/Skeleton'
import { spread } from './spread'
import { useNamespace } from './use-namespace'

const measures = {
  records: { label: 'records', of: (segment: Segment) => segment.records, text: count },
  liveBytes: { label: 'live bytes', of: (segment: Segment) => segment.liveBytes, text: bytes },
} as const

/** A map of the segments: how evenly records and bytes are spread. */
export function SegmentsTab() {
  const { name } = useNamespace()
  const { data, error } = useQuery({ ...segmentsQuery(name), refetchInterval: 5000 })
  const [measure, setMeasure] = useState<keyof typeof measures>('records')
  const [chosen, setChosen] = useState(0)
  const { of, text } = measures[measure]
  const values = (data?.items ?? []).map(of)
  const { least, most, mean, deviation } = spread(values)
  const segment = data?.items[chosen]
  return (
    <div className="with-side">
      <Card
        title="Segments"
        aside={`${values.length} segments; stronger colour holds more`}
        end={
          <Segmented
            label="Measure"
            value={measure}
            choices={[
              { value: 'records', label: 'records' },
              { value: 'liveBytes', label: 'bytes' },
            ]}
            onChange={setMeasure}
          />
        }
      >
        <Problem error={error} />
        {data === undefined && error === null && <Skeleton lines={5} height={24} />}
        <div className="segments">
          {data?.items.map((one, index) => (
            <button
              key={one.segment}
              type="button"
              aria-label={`Segment ${one.segment}: ${text(of(one))}`}
              aria-pressed={index === chosen}
              title={`${one.segment}: ${text(of(one))}`}
              style={{ background: colour(of(one), most) }}
              onClick={() => setChosen(index)}
            />
          ))}
        </div>
      </Card>
      <div className="stack">
        <Card title="Spread">
          <dl className="facts">
            <dt>mean</dt>
            <dd>{text(mean)}</dd>
            <dt>least</dt>
            <dd>{text(least)}</dd>
            <dt>most</dt>
            <dd>{text(most)}</dd>
            <dt>σ of mean</dt>
            <dd>{mean === 0 ? '–' : share(deviation / mean)}</dd>
          </dl>
        </Card>
        {segment !== undefined && (
          <Card title={`Segment ${segment.segment}`}>
            <dl className="facts">
              <dt>records</dt>
              <dd>{count(segment.records)}</dd>
              <dt>live</dt>
              <dd>{bytes(segment.liveBytes)}</dd>
              <dt>allocated</dt>
              <dd>{bytes(segment.allocatedBytes)}</dd>
              <dt>fill</dt>
              <dd>{segment.allocatedBytes === 0 ? '–' : share(segment.liveBytes / segment.allocatedBytes)}</dd>
            </dl>
          </Card>
        )}
      </div>
    </div>
  )
}

function colour(value: number, most: number): string {
  const part = most === 0 ? 0 : value / most
  return value === 0
    ? 'var(--line)'
    : `color-mix(in srgb, var(--fill-accent) ${Math.round(12 + part * 88)}%, var(--panel))`
}
