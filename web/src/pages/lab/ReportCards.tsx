import { bytes, dateTime } from '../../format'
import { saveFile } from '../../components/save-file'
import { ScrollTable } from '../../table/ScrollTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { columnsOf, csvOf } from './cells'
import type { DrawingProps } from './drawings/drawing-props'
import { drawings } from './drawings/drawings'
import { RowsTable } from './RowsTable'
import { Verdict } from './Verdict'
import { serverText } from '../../language/server-text'
import { t } from '../../language/text'

/** The report of this machine: claims, charts and rows. */
export function ReportCards({ experiment, report }: DrawingProps) {
  const { rows, claims, machine, notes = [] } = report
  const Drawing = drawings[experiment.id]
  const csv = (): void =>
    saveFile(`${report.experiment}-${report.startedAt}.csv`, new Blob([csvOf(rows)], { type: 'text/csv' }))
  return (
    <>
      {notes.map((note) => (
        <p key={note} className="note warn">
          {serverText(note)}
        </p>
      ))}
      <Card title={t('Claims')} aside={t('computed from the rows of this run')} flush>
        <ScrollTable label={t('Claims')}>
          <tbody>
            {claims.map(({ id, says, said, value, unit, bound, holds }) => (
              <tr key={id}>
                <td>
                  <Verdict holds={holds} />
                </td>
                <td>
                  <span className="wrap">{serverText(says, said)}</span>
                </td>
                <td className="right">
                  {value} {unit}
                </td>
                <td className="right mute">{t('bound {bound} {unit}', { bound, unit })}</td>
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      </Card>
      {Drawing !== undefined && <Drawing experiment={experiment} report={report} />}
      <Card
        title={t('Measured')}
        aside={t('{startedAt} · {scale} · {cpus, plural, one {# core} other {# cores}}, {memoryBytes}, {device}', {
          startedAt: dateTime(Date.parse(report.startedAt)),
          scale: report.scale,
          cpus: machine.cpus,
          memoryBytes: bytes(machine.memoryBytes),
          device: machine.device,
        })}
        end={
          <Button small onClick={csv}>
            {t('CSV')}
          </Button>
        }
        flush
      >
        <RowsTable label={t('Measured')} columns={columnsOf(rows)} rows={rows} />
      </Card>
    </>
  )
}
