import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { growthQuery } from '../../../api/queries'
import type { Namespace } from '../../../api/types'
import { ChartCard } from '../../../charts/card/ChartCard'
import { useStatus } from '../../../components/use-status'
import { bytes } from '../../../format'
import { useChooseRange, useChosenRange } from '../../../live/range'
import { Problem } from '../../../ui/Problem'
import { Segmented } from '../../../ui/Segmented'
import { firstSpan, fullWords, growthSpec, isSpan, roomOf, sizesOf, type SpanName, spans, trendOf } from './growth'
import { t } from '../../../language/text'

const choices = Object.entries(spans).map(([value, { label }]) => ({ value: value as SpanName, label }))

/** What a namespace holds over time, and when it will be full. */
export function GrowthCard({ namespace }: { namespace: Namespace }) {
  const [first] = useState(() => firstSpan(namespace.createdAt, Date.now()))
  const range = useChosenRange()
  const name = isSpan(range) ? range : first
  const choose = useChooseRange()
  const { data, error, refetch } = useQuery(growthQuery(namespace.name, spans[name].ms))
  const disk = useStatus()
  const sizes = useMemo(() => (data === undefined ? [] : sizesOf(data, namespace.name)), [data, namespace.name])
  const trend = useMemo(() => trendOf(sizes), [sizes])
  const spec = useMemo(() => growthSpec(sizes, trend, name), [sizes, trend, name])
  const perDay =
    trend === undefined
      ? ''
      : t('; {perDay}{perDay2} per day', {
          perDay: trend.perDay < 0 ? '−' : '+',
          perDay2: bytes(Math.abs(trend.perDay)),
        })
  return (
    <ChartCard
      title={t('Growth')}
      aside={t('bytes of records as stored{perDay}', { perDay })}
      controls={<Segmented label={t('Time of growth')} value={name} choices={choices} onChange={choose} />}
      spec={spec}
      newestFirst
      loading={data === undefined && error === null}
    >
      <Problem error={error} onRetry={() => void refetch()} />
      {data !== undefined && (
        <p className="mute" role="status">
          {fullWords(trend, roomOf(namespace, disk), spans[name].words)}
        </p>
      )}
    </ChartCard>
  )
}
