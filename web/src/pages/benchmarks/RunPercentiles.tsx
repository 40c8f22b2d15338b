import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { workloadLatencyQuery } from '../../api/queries'
import type { Workload, WorkloadLatency, WorkloadResult } from '../../api/types'
import type { SeriesColour } from '../../charts/spec/spec'
import { PercentileCard } from '../../components/percentiles/PercentileCard'
import { percentileSpec } from '../../components/percentiles/percentile-spec'
import { Problem } from '../../ui/Problem'
import { runCurve } from './run-curves'
import { runTitle } from './run-words'
import { t } from '../../language/text'

const ASIDE = t('from the due time of each operation; grey: fewer than ten operations are slower')
const operations = ['read', 'write'] as const

/** The percentiles of one run. */
export function RunPercentiles({ id, result }: { id: string; result: WorkloadResult }) {
  const { data, error } = useQuery(workloadLatencyQuery(id))
  const spec = useMemo(
    () =>
      percentileSpec(
        operations
          .filter((op) => data !== undefined && result[op].count > 0)
          .map((op) => runCurve(op, op === 'read' ? 1 : 2, result, op, data ?? NONE)),
      ),
    [result, data],
  )
  if (error !== null) return <Problem error={error} />
  return <PercentileCard aside={ASIDE} spec={spec} loading={data === undefined} />
}

const NONE: WorkloadLatency = { items: [] }
const colours: readonly SeriesColour[] = [1, 2, 3, 4, 5, 'warn']

/** The percentiles of several runs, reads and writes apart. */
export function ComparedPercentiles({ runs }: { runs: readonly Workload[] }) {
  const { latencies, error } = useQueries({
    queries: runs.map(({ id }) => workloadLatencyQuery(id)),
    combine: (all) => ({
      latencies: all.map(({ data }) => data),
      error: all.find((one) => one.error !== null)?.error ?? null,
    }),
  })
  const loading = latencies.includes(undefined)
  const cards = useMemo(
    () =>
      operations.flatMap((op) => {
        const curves = runs.flatMap((run, index) =>
          run.result === undefined || run.result[op].count === 0
            ? []
            : [
                runCurve(
                  `${index + 1}: ${runTitle(run)}`,
                  colours[index] ?? 1,
                  run.result,
                  op,
                  latencies[index] ?? NONE,
                ),
              ],
        )
        return curves.length === 0 ? [] : [{ op, spec: percentileSpec(curves) }]
      }),
    [runs, latencies],
  )
  if (error !== null) return <Problem error={error} />
  return (
    <div className={cards.length > 1 ? 'grid-2' : 'stack'}>
      {cards.map(({ op, spec }) => (
        <PercentileCard
          key={op}
          title={op === 'read' ? t('Percentiles of reads') : t('Percentiles of writes')}
          aside={ASIDE}
          spec={spec}
          loading={loading}
        />
      ))}
    </div>
  )
}
