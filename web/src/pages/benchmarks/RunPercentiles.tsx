import { useMemo } from 'react'
import type { Workload, WorkloadResult } from '../../api/types'
import type { SeriesColour } from '../../charts/spec/spec'
import { PercentileCard } from '../../components/percentiles/PercentileCard'
import { percentileSpec } from '../../components/percentiles/percentile-spec'
import { runCurve } from './run-curves'
import { runTitle } from './run-words'

const ASIDE = 'known to 1 µs; grey: fewer than ten operations are slower'

/** The percentiles of one run. */
export function RunPercentiles({ result }: { result: WorkloadResult }) {
  const spec = useMemo(
    () =>
      percentileSpec(
        (['read', 'write'] as const)
          .filter((op) => result[op].count > 0)
          .map((op) => runCurve(op, op === 'read' ? 1 : 2, result, op)),
      ),
    [result],
  )
  return <PercentileCard aside={ASIDE} spec={spec} />
}

const colours: readonly SeriesColour[] = [1, 2, 3, 4, 5, 'warn']

/** The percentiles of several runs, reads and writes apart. */
export function ComparedPercentiles({ runs }: { runs: readonly Workload[] }) {
  const cards = useMemo(
    () =>
      (['read', 'write'] as const).flatMap((op) => {
        const curves = runs.flatMap((run, index) =>
          run.result === undefined || run.result[op].count === 0
            ? []
            : [runCurve(`${index + 1}: ${runTitle(run)}`, colours[index] ?? 1, run.result, op)],
        )
        return curves.length === 0 ? [] : [{ op, spec: percentileSpec(curves) }]
      }),
    [runs],
  )
  return (
    <div className={cards.length > 1 ? 'grid-2' : 'stack'}>
      {cards.map(({ op, spec }) => (
        <PercentileCard
          key={op}
          title={op === 'read' ? 'Percentiles of reads' : 'Percentiles of writes'}
          aside={ASIDE}
          spec={spec}
        />
      ))}
    </div>
  )
}
