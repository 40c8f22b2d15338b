import { useMemo } from 'react'
import type { LabReport } from '../../../api/types'
import { ChartCard } from '../../../charts/card/ChartCard'
import type { ChartSpec, XAxis } from '../../../charts/spec/spec'
import type { DrawingProps } from './drawing-props'
import { t } from '../../../language/text'

const records = ['1k', '2k', '4k']
const x: XAxis = { name: 'record', scale: 'names', format: 'plain', values: records.map((_, at) => at), names: records }

/** Throughput by record size, relative to 1k: absolute figures depend on the machine, the shape is comparable. */
export function RecordSizeChart({ experiment, report }: DrawingProps) {
  const spec = useMemo((): ChartSpec => {
    const share = (rows: LabReport['rows'], field: string): (number | null)[] => {
      const of = (record: string): number => Number(rows.find((row) => row['record'] === record)?.[field] ?? NaN)
      const whole = of('1k')
      return records.map((record) => {
        const value = (of(record) / whole) * 100
        return Number.isFinite(value) ? value : null
      })
    }
    return {
      x,
      y: { scale: 'linear', format: 'percent' },
      series: [
        { id: 'published', name: t('published'), colour: 2, values: share(experiment.published.rows, 'tps') },
        { id: 'peak', name: t('peak here'), colour: 1, values: share(report.rows, 'tps') },
        { id: 'steady', name: t('steady here'), colour: 3, values: share(report.rows, 'steadyTps') },
      ],
    }
  }, [experiment, report])
  return <ChartCard title={t('Throughput by record size')} aside={t('1k is 100%')} spec={spec} />
}
