import { stateWords } from '../../components/state-words'
import type { Backup } from '../../api/types'
import { bytes, count } from '../../format'
import type { ColumnDef } from '../../table/column'
import { Button } from '../../ui/Button'
import { backupTone, kindWords, pointWords } from './backup-words'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

/** What may be done with a backup; unset: the caller may not do it. */
export interface Actions {
  open: (id: string) => void
  verify: ((id: string) => void) | undefined
  resume: ((id: string) => void) | undefined
  restore: ((id: string) => void) | undefined
  remove: ((id: string) => void) | undefined
}

const number = (value: number | undefined): string => (value === undefined ? '–' : count(value))

/** `busy`: the backups that are being made. */
export const columns = (actions: Actions, busy: readonly string[]): ColumnDef<Backup>[] => [
  {
    name: 'backup',
    label: t('backup'),
    sort: ({ id }) => id,
    cell: ({ id }) => (
      <button type="button" className="link mono" onClick={() => actions.open(id)}>
        {id}
      </button>
    ),
  },
  {
    name: 'namespace',
    label: t('namespace'),
    sort: ({ namespace = '' }) => namespace,
    cell: ({ namespace }) => namespace ?? '–',
  },
  {
    name: 'state',
    label: t('state'),
    sort: ({ state }) => state,
    cell: ({ id, state, problem }) =>
      busy.includes(id) ? (
        <span className="badge accent">{t('being made')}</span>
      ) : (
        <Tip text={problem}>
          <span className={`badge ${backupTone[state]}`}>{stateWords(state)}</span>
        </Tip>
      ),
  },
  {
    name: 'point of restore',
    label: t('point of restore'),
    sort: ({ pointTo = '' }) => pointTo,
    cell: (backup) => <span className="num">{pointWords(backup) ?? '–'}</span>,
  },
  {
    name: 'kind',
    label: t('kind'),
    sort: ({ base = '' }) => base,
    cell: (backup) => (
      <Tip text={backup.base}>
        <span>{kindWords(backup)}</span>
      </Tip>
    ),
  },
  {
    name: 'records',
    label: t('records'),
    low: 4,
    right: true,
    sort: ({ records = -1 }) => records,
    cell: ({ records }) => number(records),
  },
  {
    name: 'bodies',
    label: t('bodies'),
    low: 5,
    right: true,
    sort: ({ bodies = -1 }) => bodies,
    cell: ({ bodies }) => number(bodies),
  },
  {
    name: 'size',
    label: t('size'),
    right: true,
    sort: (backup) => backup.bytes ?? -1,
    cell: (backup) => (backup.bytes === undefined ? '–' : bytes(backup.bytes)),
  },
  {
    name: 'damaged',
    label: t('damaged'),
    low: 3,
    right: true,
    sort: ({ damaged = 0 }) => damaged,
    cell: ({ damaged = 0 }) =>
      damaged > 0 ? (
        <Tip text={t('Records that could not be read, and are not in it')}>
          <span className="badge bad">{count(damaged)}</span>
        </Tip>
      ) : (
        '0'
      ),
  },
  ...(actions.remove === undefined
    ? []
    : [
        {
          name: 'actions',
          label: t('actions'),
          actions: true,
          cell: (backup: Backup) => !busy.includes(backup.id) && <RowActions backup={backup} actions={actions} />,
        },
      ]),
]

function RowActions({ backup: { id, state }, actions }: { backup: Backup; actions: Actions }) {
  const { verify, resume, restore, remove } = actions
  return (
    <div className="row">
      {state === 'complete' && verify !== undefined && (
        <Button small aria-label={t('Verify {id}', { id })} onClick={() => verify(id)}>
          {t('Verify')}
        </Button>
      )}
      {state === 'complete' && restore !== undefined && (
        <Button small aria-label={t('Restore {id}', { id })} onClick={() => restore(id)}>
          {t('Restore…')}
        </Button>
      )}
      {state === 'unfinished' && resume !== undefined && (
        <Button small aria-label={t('Resume {id}', { id })} onClick={() => resume(id)}>
          {t('Resume')}
        </Button>
      )}
      {remove !== undefined && (
        <Button small look="danger" aria-label={t('Delete {id}', { id })} onClick={() => remove(id)}>
          {t('Delete…')}
        </Button>
      )}
    </div>
  )
}
