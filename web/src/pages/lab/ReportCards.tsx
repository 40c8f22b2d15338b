import { useMemo } from 'react'
import type { LabExperiment, LabReport } from '../../api/types'
import { LineChart, type Line } from '../../charts/LineChart'
import { bytes, dateTime } from '../../format'
import { ScrollTable } from '../../table/ScrollTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { columnsOf, csvOf } from './cells'
import { RowsTable } from './RowsTable'

interface Props {
  experiment: LabExperiment
  report: LabReport
}

/** What this machine did: its claims, its rows, and their shape beside the published one. */
export function ReportCards({ experiment, report }: Props) {
  const { rows, claims, machine } = report
  return (
    <>
      <Card title="Claims" aside="computed from the rows of this run" flush>
        <ScrollTable label="Claims">
          <tbody>
            {claims.map(({ id, says, value, unit, bound, holds }) => (
              <tr key={id}>
                <td>
                  <span className={`badge ${holds ? 'good' : 'bad'}`}>{holds ? '✓ holds' : '✗ does not hold'}</span>
                </td>
                <td>{says}</td>
                <td className="right">
                  {value} {unit}
                </td>
                <td className="right mute">
                  bound {bound} {unit}
                </td>
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      </Card>
      <Card
        title="Measured"
        aside={`${dateTime(Date.parse(report.startedAt))} · ${report.scale} · ${machine.cpus} cores, ${bytes(machine.memoryBytes)}, ${machine.device}`}
        end={
          <Button small onClick={() => save(`${report.experiment}-${report.startedAt}.csv`, csvOf(rows))}>
            CSV
          </Button>
        }
        flush
      >
        <RowsTable label="Measured" columns={columnsOf(rows)} rows={rows} />
      </Card>
      <Shape experiment={experiment} report={report} />
    </>
  )
}

const percent = (value: number): string => `${Math.round(value)}%`

/** How throughput falls as records grow: absolute figures are the machines', the shape is comparable. */
function Shape({ experiment, report }: Props) {
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

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
