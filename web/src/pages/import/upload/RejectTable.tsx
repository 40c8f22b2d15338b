import { here } from '../../../base-path'
import type { ImportReject, ImportReport } from '../../../api/types'
import { bytes, count } from '../../../format'
import type { ColumnDef } from '../../../table/column'
import { DataTable } from '../../../table/DataTable'
import { t } from '../../../language/text'
import { Tip } from '../../../ui/Tip'

/** Rejected rows with their reasons: counts by code, the first rows, and all rows as files to repair. */
export function RejectTable({ report }: { report: ImportReport }) {
  const { rejected, rejectedTotal, rejectedByCode } = report
  const codes = Object.entries(rejectedByCode).toSorted(([, a], [, b]) => b - a)
  return (
    <div className="stack-small">
      <div className="row">
        <strong>{t('{rejectedTotal, plural, one {# rejected row} other {# rejected rows}}', { rejectedTotal })}</strong>
        {codes.map(([code, times]) => (
          <span key={code} className="badge">
            <code>{code}</code> <span className="num">{count(times)}</span>
          </span>
        ))}
      </div>
      <RejectFiles report={report} />
      {rejectedTotal > rejected.length && (
        <span className="mute small">{t('The first {rejected}:', { rejected: count(rejected.length) })}</span>
      )}
      <div style={{ maxHeight: 300, overflow: 'auto' }}>
        <DataTable
          label={t('Rejected rows')}
          keyOf={({ line, code }) => `${line}${code}`}
          rows={rejected}
          columns={rejected.some(({ row }) => row !== undefined) ? [...columns, rowColumn] : columns}
        />
      </div>
    </div>
  )
}

const columns: readonly ColumnDef<ImportReject>[] = [
  { name: 'line', label: t('line'), right: true, sort: ({ line }) => line, cell: ({ line }) => count(line) },
  { name: 'code', label: t('code'), sort: ({ code }) => code, cell: ({ code }) => <code>{code}</code> },
  { name: 'field', label: t('field'), cell: ({ field }) => field ?? '' },
  { name: 'why', label: t('why'), cell: ({ message }) => <span className="wrap">{message}</span> },
]

/** Only in a dry run: the beginning of the row. */
const rowColumn: ColumnDef<ImportReject> = {
  name: 'row',
  label: t('row'),
  cell: ({ row = '' }) => (
    <Tip cut text={row}>
      <span className="mono cell">{row}</span>
    </Tip>
  ),
}

/** A dry run has no reject files. */
function RejectFiles({ report: { jobId, rejectFile, rejectedTotal } }: { report: ImportReport }) {
  if (rejectFile === undefined) return null
  const path = `/api/v1/jobs/${encodeURIComponent(jobId)}/rejects`
  const { rows, cutShort, reason } = rejectFile
  return (
    <div className="row">
      <a className="btn small" href={here(path)} download>
        {t('Reject file')}
      </a>
      <a className="btn small" href={here(`${path}?form=rows`)} download>
        {t('Rejected rows')}
      </a>
      <span className="mute small">
        {!cutShort
          ? t('each with its reason, or only the rows, to repair and import again')
          : reason === 'storage'
            ? t('{rows} of {rejected}, because the disk refused more', {
                rows: count(rows),
                rejected: count(rejectedTotal),
              })
            : t('{rows} of {rejected}, up to {bytes}', {
                rows: count(rows),
                rejected: count(rejectedTotal),
                bytes: bytes(rejectFile.bytes),
              })}
      </span>
    </div>
  )
}
