import { dateTime } from '../../format'
import { t } from '../../language/text'
import type { ColumnDef } from '../../table/column'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { shown } from './ChangeList'

/** Who changed which settings, when and why. */
export interface Revision {
  number: number
  at: string
  who: string
  cause: 'created' | 'changed' | 'restored' | 'migrated' | 'found'
  reason?: string
  restored?: number
  changes: readonly { field: string; from?: unknown; to?: unknown }[]
}

const causes: Readonly<Record<Revision['cause'], string>> = {
  created: t('created'),
  changed: t('changed'),
  restored: t('rolled back'),
  migrated: t('migrated'),
  found: t('found'),
}

const makers: Readonly<Record<string, string>> = {
  outside: t('outside the gateway'),
  start: t('a start of the server'),
  signal: t('a reload by a signal'),
}

interface Props {
  label: string
  /** the list's name, for what the browser keeps of it */
  list: string
  /** newest first: it is in force */
  revisions: readonly Revision[]
  labelOf: (field: string) => string
  onCompare: (number: number) => void
  /** unset: the caller may not roll back */
  onRollBack: ((number: number) => void) | undefined
}

/** Revisions of settings; each row leads back to its settings. */
export function RevisionTable({ label, list, revisions, labelOf, onCompare, onRollBack }: Props) {
  const newest = revisions[0]?.number
  const columns: ColumnDef<Revision>[] = [
    { name: 'revision', label: t('revision'), right: true, cell: ({ number }) => number },
    { name: 'time', label: t('time'), low: 1, cell: ({ at }) => dateTime(Date.parse(at)) },
    { name: 'who', label: t('who'), low: 2, cell: ({ who }) => makers[who] ?? who },
    { name: 'what', label: t('what'), cell: (revision) => <What revision={revision} labelOf={labelOf} /> },
    {
      name: 'reason',
      label: t('reason'),
      low: 3,
      cell: ({ reason }) => reason ?? <span className="mute">{t('none')}</span>,
    },
    {
      name: 'actions',
      label: t('actions'),
      actions: true,
      cell: ({ number }) =>
        number === newest ? (
          <span className="badge good">{t('in force')}</span>
        ) : (
          <div className="row">
            <Button
              small
              onClick={() => onCompare(number)}
              aria-label={t('Compare with revision {number}', { number })}
            >
              {t('Compare')}
            </Button>
            {onRollBack !== undefined && (
              <Button
                small
                onClick={() => onRollBack(number)}
                aria-label={t('Roll back to revision {number}', { number })}
              >
                {t('Roll back…')}
              </Button>
            )}
          </div>
        ),
    },
  ]
  return (
    <DataTable
      label={label}
      list={list}
      noun={(n) => t('{n, plural, one {# revision} other {# revisions}}', { n })}
      columns={columns}
      rows={revisions}
      keyOf={({ number }) => String(number)}
    />
  )
}

function What({
  revision: { cause, restored, changes },
  labelOf,
}: {
  revision: Revision
  labelOf: (field: string) => string
}) {
  return (
    <div className="diff">
      <div>
        <span className="badge">{causes[cause]}</span>
        {restored !== undefined && <span className="mute"> {t('to revision {restored}', { restored })}</span>}
      </div>
      {changes.map(({ field, from, to }) => (
        <div key={field}>
          <span className="mute">{labelOf(field)} </span>
          <del>{shown(from)}</del> <ins>{shown(to)}</ins>
        </div>
      ))}
    </div>
  )
}
