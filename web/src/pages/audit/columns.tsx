import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../../api/types'
import { dateTime, plural } from '../../format'
import type { ColumnDef } from '../../table/column'
import { ChangeCell } from './ChangeCell'
import { targetOf, titleOf } from './changes'

const tones: Readonly<Record<string, string>> = { ok: 'good', failed: 'bad', refused: 'warn', unknown: 'bad' }

export const auditColumns: ColumnDef<AuditEntry>[] = [
  {
    name: 'time',
    cell: ({ at, seq }) => <span title={`entry ${seq}, ${at}`}>{dateTime(Date.parse(at))}</span>,
  },
  {
    name: 'what',
    cell: (entry) => (
      <>
        <strong>{titleOf(entry)}</strong>
        {entry.dryRun === true && <span className="badge"> dry run</span>}
        {entry.count !== undefined && <span className="mute"> {plural(entry.count, 'time')}</span>}
      </>
    ),
  },
  {
    name: 'outcome',
    cell: ({ outcome, code }) =>
      outcome === undefined ? '–' : <span className={`badge ${tones[outcome] ?? ''}`}>{code ?? outcome}</span>,
  },
  { name: 'who', cell: ({ who, role }) => <span title={role}>{who ?? '–'}</span> },
  { name: 'about', cell: (entry) => targetOf(entry) || '–' },
  { name: 'before and after', cell: (entry) => <ChangeCell entry={entry} /> },
  {
    name: 'from',
    low: 3,
    cell: ({ address, request }) => <span title={request && `request ${request}`}>{address ?? '–'}</span>,
  },
  {
    name: 'job',
    low: 4,
    cell: ({ job }) =>
      job === undefined ? (
        '–'
      ) : (
        <Link to="/jobs" search={{ id: job }}>
          {job}
        </Link>
      ),
  },
]
