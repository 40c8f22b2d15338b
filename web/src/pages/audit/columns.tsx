import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../../api/types'
import { dateTime } from '../../format'
import type { ColumnDef } from '../../table/column'
import { ChangeCell } from './ChangeCell'
import { targetOf, titleOf } from './changes'
import { t } from '../../language/text'
import { stateWords } from '../../components/state-words'
import { roleNames } from '../../components/api-words'
import { Tip } from '../../ui/Tip'

const tones: Readonly<Record<string, string>> = { ok: 'good', failed: 'bad', refused: 'warn', unknown: 'bad' }

export const auditColumns: ColumnDef<AuditEntry>[] = [
  {
    name: 'time',
    label: t('time'),
    cell: ({ at, seq }) => (
      <Tip text={t('entry {seq}, {at}', { seq, at })}>
        <span>{dateTime(Date.parse(at))}</span>
      </Tip>
    ),
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
  {
    name: 'who',
    label: t('who'),
    cell: ({ who, role }) => (
      <Tip text={role && roleNames(role)}>
        <span>{who ?? '–'}</span>
      </Tip>
    ),
  },
  { name: 'about', label: t('about'), cell: (entry) => targetOf(entry) || '–' },
  { name: 'before and after', label: t('before and after'), cell: (entry) => <ChangeCell entry={entry} /> },
  {
    name: 'from',
    label: t('from'),
    low: 3,
    cell: ({ address, request }) => (
      <Tip text={request && t('request {request}', { request })}>
        <span>{address ?? '–'}</span>
      </Tip>
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
