import { stateWords } from '../../components/state-words'
import type { Target } from '../../api/backups'
import type { Backup } from '../../api/types'
import { CurlLine } from '../../components/CurlLine'
import { bytes, count, dateTime } from '../../format'
import { Dialog } from '../../ui/Dialog'
import { Empty } from '../../ui/Empty'
import { Skeleton } from '../../ui/Skeleton'
import { backupTone } from './backup-words'
import { buildOn, chainOf } from './chain'
import { targetQuery, targetWords } from './target'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

interface Props {
  id: string | undefined
  target: Target
  /** unset: not known yet */
  backups: readonly Backup[] | undefined
  onClose: () => void
}

/** All that is known of a backup, and what it builds on. */
export function BackupDialog({ id, target, backups, onClose }: Props) {
  const backup = backups?.find((one) => one.id === id)
  return (
    <Dialog title={t('Backup')} open={id !== undefined} onClose={onClose} wide>
      {backup !== undefined && <Details backup={backup} target={target} backups={backups ?? []} />}
      {backup === undefined && backups === undefined && <Skeleton lines={5} />}
      {backup === undefined && backups !== undefined && (
        <Empty title={t('No such backup')}>
          <Say
            text="<code>{id}</code> is not in {place}. It may have been deleted."
            values={{ id, place: targetWords(target) }}
          />
        </Empty>
      )}
    </Dialog>
  )
}

function Details({ backup, target, backups }: { backup: Backup; target: Target; backups: readonly Backup[] }) {
  const { id, state, namespace, config, createdAt, endedAt, pointFrom, pointTo, problem } = backup
  const [, ...bases] = chainOf(backup, backups)
  const time = (text: string | undefined): string => (text === undefined ? '–' : dateTime(Date.parse(text)))
  const number = (value: number | undefined): string => (value === undefined ? '–' : count(value))
  const facts = [
    ['id', <code key="id">{id}</code>],
    [
      'state',
      <span key="state" className={`badge ${backupTone[state]}`}>
        {stateWords(state)}
      </span>,
    ],
    ['namespace', namespace ?? '–'],
    [t('stored as'), config?.storage.engine ?? '–'],
    ['begun', time(createdAt)],
    ['ended', time(endedAt)],
    [t('point of restore from'), time(pointFrom)],
    ['to', time(pointTo)],
    ['records', number(backup.records)],
    [t('bodies in it'), number(backup.bodies)],
    [t('damaged records'), number(backup.damaged)],
    ['size', backup.bytes === undefined ? '–' : bytes(backup.bytes)],
    [
      t('builds on'),
      <Ids key="on" ids={backup.base === undefined ? [] : [backup.base, ...bases.slice(1).map(idOf)]} />,
    ],
    [t('others on it'), <Ids key="above" ids={buildOn(backup, backups).map(idOf)} />],
  ] as const
  return (
    <div className="stack">
      {problem !== undefined && (
        <div className="problem" role="alert">
          <strong>{t('It cannot be read')}</strong>
          <span>{problem}</span>
        </div>
      )}
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <CurlLine method="GET" path={`/api/v1/backups/${id}${targetQuery(target)}`} />
    </div>
  )
}

const idOf = ({ id }: Backup): string => id

function Ids({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return '–'
  return ids.map((id) => (
    <div key={id}>
      <code>{id}</code>
    </div>
  ))
}
