import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../../api/types'
import { dateTime } from '../../format'
import type { ColumnDef } from '../../table/column'
import { ChangeCell } from './ChangeCell'
import { targetOf, titleOf } from './changes'
import { t } from '../../language/text'
import { stateWords } from '../../components/state-words'
import { roleNames } from '../../components/api-words'

const tones: Readonly<Record<string, string>> = { ok: 'good', failed: 'bad', refused: 'warn', unknown: 'bad' }

export const auditColumns: ColumnDef<AuditEntry>[] = [
  {
    name: 'time',
    label: t('time'),
    cell: ({ at, seq }) => <span title={t('entry {seq}, {at}', { seq, at })}>{dateTime(Date.parse(at))}</span>,
  },
  {
    name: 'what',
    label: t('what'),
    cell: (entry) => (
      <>
        <strong>{titleOf(entry)}</strong>
        {entry.dryRun === true && <span className="badge"> {t('dry run')}</span>}
        {entry.count !== undefined && (
          <span className="mute"> {t('{count, plural, one {# time} other {# times}}', { count: entry.count })}</span>
        )}
      </>
    ),
  },
  {
    name: 'outcome',
    label: t('outcome'),
    cell: ({ outcome, code }) =>
      outcome === undefined ? (
        '–'
      ) : (
        <span className={`badge ${tones[outcome] ?? ''}`}>{code ?? stateWords(outcome)}</span>
      ),
  },
  { name: 'who', label: t('who'), cell: ({ who, role }) => <span title={role && roleNames(role)}>{who ?? '–'}</span> },
  { name: 'about', label: t('about'), cell: (entry) => targetOf(entry) || '–' },
  { name: 'before and after', label: t('before and after'), cell: (entry) => <ChangeCell entry={entry} /> },
  {
    name: 'from',
    label: t('from'),
    low: 3,
    cell: ({ address, request }) => (
      <span title={request && t('request {request}', { request })}>{address ?? '–'}</span>
    ),
  },
  {
    name: 'job',
    label: t('job'),
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
