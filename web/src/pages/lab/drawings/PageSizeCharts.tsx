import { useMemo } from 'react'
import { ChartCard } from '../../../charts/card/ChartCard'
import { ChartGroup } from '../../../charts/card/ChartGroup'
import type { ChartSpec, Series, XAxis } from '../../../charts/spec/spec'
import type { DrawingProps } from './drawing-props'
import { t } from '../../../language/text'

type Row = DrawingProps['report']['rows'][number]

const NS_PER_US = 1000
const KIB = 1024
const phases = ['load', '50/50', '95/5', 'read only']
const x: XAxis = { name: 'phase', scale: 'names', format: 'plain', values: phases.map((_, at) => at), names: phases }

const sizes = [
  { kib: 16, colour: 1 },
  { kib: 64, colour: 2 },
] as const

/** Throughput of each phase by page size, the gain of small pages, and the slow operations. */
export function PageSizeCharts({ experiment, report }: DrawingProps) {
  const { rates, gains, tails } = useMemo(() => specsOf(experiment.published.rows, report.rows), [experiment, report])
  return (
    <ChartGroup>
      <ChartCard title={t('Throughput by phase')} aside={t('operations per second')} spec={rates} />
      <ChartCard title={t('Gain of small pages')} aside={t('16 KiB against 64 KiB')} spec={gains} />
      <ChartCard title={t('Slow operations')} aside={t("p99 of the phase's first kind")} spec={tails} />
    </ChartGroup>
  )
}

function specsOf(published: readonly Row[], rows: readonly Row[]): Record<'rates' | 'gains' | 'tails', ChartSpec> {
  const number = (row: Row | undefined, field: string): number | null => {
    const value = Number(row?.[field] ?? NaN)
    return Number.isNaN(value) ? null : value
  }
  const values = (kib: number, field: string): (number | null)[] =>
    phases.map((phase) =>
      number(
        rows.find((row) => row['pageBytes'] === kib * KIB && row['phase'] === phase),
        field,
      ),
    )
  const each = (field: string, unit = 1): Series[] =>
    sizes.map(({ kib, colour }) => ({
      id: `${kib}`,
      name: `${kib} KiB`,
      colour,
      values: values(kib, field).map((value) => value && value * unit),
    }))
  const [small, large] = [values(16, 'throughput'), values(64, 'throughput')]
  const gain = small.map((rate, at) => {
    const other = large[at] ?? null
    return rate === null || other === null ? null : rate / other
  })
  const said = phases.map((phase) =>
    number(
      published.find((row) => row['phase'] === phase),
      'gain',
    ),
  )
  return {
    rates: { x, y: { scale: 'linear', format: 'rate' }, series: each('throughput') },
    gains: {
      x,
      y: { scale: 'linear', format: 'times' },
      series: [
        { id: 'published', name: t('published'), colour: 2, values: said },
        { id: 'here', name: t('here'), colour: 1, values: gain },
      ],
    },
    tails: { x, y: { scale: 'linear', format: 'latency' }, series: each('p99Us', NS_PER_US) },
  }
}
