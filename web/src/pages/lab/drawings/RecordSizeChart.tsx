import { useMemo } from 'react'
import type { LabReport } from '../../../api/types'
import { LineChart, type Line } from '../../../charts/LineChart'
import type { DrawingProps } from './drawing-props'

const percent = (value: number): string => `${Math.round(value)}%`

/** Throughput by record size, relative to 1k: absolute figures depend on the machine, the shape is comparable. */
export function RecordSizeChart({ experiment, report }: DrawingProps) {
  const records = useMemo(() => ['1k', '2k', '4k'], [])
  const lines = useMemo<Line[]>(() => {
    const share = (rows: LabReport['rows'], field: string): number[] => {
      const of = (record: string): number => Number(rows.find((row) => row['record'] === record)?.[field] ?? Number.NaN)
      const whole = of('1k')
      return records.map((record) => (whole > 0 ? (of(record) / whole) * 100 : Number.NaN))
    }
    return [
      { name: 'published', colour: 'warn', values: share(experiment.published.rows, 'tps') },
      { name: 'peak here', colour: 'accent', values: share(report.rows, 'tps') },
      { name: 'steady here', colour: 'good', values: share(report.rows, 'steadyTps') },
    ]
  }, [experiment, report, records])
  const x = useMemo(() => records.map((_, index) => index), [records])
  const xText = useMemo(() => (at: number) => records[at] ?? '', [records])
  return (
    <LineChart
      title="Throughput by record size"
      aside="1k is 100%"
      x={x}
      xText={xText}
      lines={lines}
      valueText={percent}
    />
  )
}
