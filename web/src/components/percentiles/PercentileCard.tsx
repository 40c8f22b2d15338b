import type { ReactNode } from 'react'
import { ChartCard } from '../../charts/card/ChartCard'
import { ChartGroup } from '../../charts/card/ChartGroup'
import type { ChartSource } from '../../charts/card/source'
import type { ChartSpec } from '../../charts/spec/spec'
import { quantileName, latency } from '../../format'
import { t } from '../../language/text'

interface Props {
  title?: string
  aside?: ReactNode
  spec: ChartSpec | ChartSource
  loading?: boolean
}

const HEIGHT = 260
const TOLD = [2, 100, 1000]

/** Latency by quantile. It has an x of its own, so it shares no crosshair with charts over time. */
export function PercentileCard({ title = t('Percentiles'), aside, spec, loading = false }: Props) {
  return (
    <ChartGroup>
      <ChartCard
        title={title}
        aside={aside ?? t('grey: fewer than ten operations are slower')}
        spec={spec}
        height={HEIGHT}
        describe={(shown) => `${title}: ${wordsOf(shown)}`}
        loading={loading}
        empty={t('No operations')}
      />
    </ChartGroup>
  )
}

function wordsOf({ x, series }: ChartSpec): string {
  const parts = series.flatMap(({ name, values }) =>
    TOLD.map((oneIn) => [oneIn, values[x.values.indexOf(oneIn)] ?? null] as const)
      .filter(([, value]) => value !== null)
      .map(([oneIn, value]) => `${name} ${quantileName(oneIn)} ${latency(value ?? 0)}`),
  )
  return parts.length === 0 ? t('no operations') : parts.join(', ')
}
