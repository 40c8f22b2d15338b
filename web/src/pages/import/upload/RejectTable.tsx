import { here } from '../../../base-path'
import type { ImportReject, ImportReport } from '../../../api/types'
import { bytes, count, plural } from '../../../format'
import type { ColumnDef } from '../../../table/column'
import { DataTable } from '../../../table/DataTable'

/** Rejected rows with their reasons: counts by code, the first rows, and all rows as files to repair. */
export function RejectTable({ report }: { report: ImportReport }) {
  const { rejected, rejectedTotal, rejectedByCode } = report
  const codes = Object.entries(rejectedByCode).toSorted(([, a], [, b]) => b - a)
  return (
    <div className="stack-small">
      <div className="row">
        <strong>{plural(rejectedTotal, 'rejected row')}</strong>
        {codes.map(([code, times]) => (
          <span key={code} className="badge">
            <code>{code}</code> <span className="num">{count(times)}</span>
          </span>
        ))}
      </div>
      <RejectFiles report={report} />
      {rejectedTotal > rejected.length && <span className="mute small">The first {count(rejected.length)}:</span>}
      <div style={{ maxHeight: 300, overflow: 'auto' }}>
        <DataTable
          label="Rejected rows"
          keyOf={({ line, code }) => `${line}${code}`}
          rows={rejected}
          columns={rejected.some(({ row }) => row !== undefined) ? [...columns, rowColumn] : columns}
        />
      </div>
    </div>
  )
}

const columns: readonly ColumnDef<ImportReject>[] = [
  { name: 'line', right: true, sort: ({ line }) => line, cell: ({ line }) => count(line) },
  { name: 'code', sort: ({ code }) => code, cell: ({ code }) => <code>{code}</code> },
  { name: 'field', cell: ({ field }) => field ?? '' },
  { name: 'why', cell: ({ message }) => <span className="wrap">{message}</span> },
]

/** Only in a dry run: the beginning of the row. */
const rowColumn: ColumnDef<ImportReject> = {
  name: 'row',
  cell: ({ row = '' }) => (
    <span className="mono cell" title={row}>
      {row}
    </span>
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
        Reject file
      </a>
      <a className="btn small" href={here(`${path}?form=rows`)} download>
        Rejected rows
      </a>
      <span className="mute small">
        {cutShort
          ? `${count(rows)} of ${count(rejectedTotal)}, ${reason === 'storage' ? 'because the disk refused more' : `up to ${bytes(rejectFile.bytes)}`}`
          : 'each with its reason, or only the rows, to repair and import again'}
      </span>
    </div>
  )
}
