import { useMutation, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { backupsQuery, resumeBackup, type Target, useRefreshBackups, verifyBackup } from '../../api/backups'
import { runningJobsQuery } from '../../api/queries'
import type { Job, JobPage } from '../../api/types'
import { useMay } from '../../api/use-may'
import { DataTable } from '../../table/DataTable'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { columns } from './columns'
import { DeleteBackup } from './DeleteBackup'
import { RestoreBackup } from './RestoreBackup'
import { targetWords } from './target'
import { t } from '../../language/text'

interface Props {
  ns: string | undefined
  target: Target
  onOpen: (id: string) => void
  onStarted: (job: string) => void
}

/** Rows from which on only those in view are drawn. */
const LONG = 200

/** The backups in the directory of the server or in a bucket, newest first, with what can be done with each. */
export function BackupList({ ns, target, onOpen, onStarted }: Props) {
  const { data, error, refetch } = useQuery(backupsQuery(target))
  const { data: busy = '' } = useQuery({ ...runningJobsQuery(), select: beingMade })
  const refresh = useRefreshBackups()
  const [asked, setAsked] = useState<{ task: 'restore' | 'delete'; id: string }>()
  const onSuccess = ({ id }: Job): void => {
    refresh()
    onStarted(id)
  }
  const verify = useMutation({ mutationFn: verifyBackup, onSuccess })
  const resume = useMutation({ mutationFn: resumeBackup, onSuccess })
  const may = useMay()
  const [verifies, resumes, restores, removes] = [
    may('verifyBackup'),
    may('resumeBackup'),
    may('restoreBackup'),
    may('removeBackup'),
  ]
  const { mutate: startVerify } = verify
  const { mutate: startResume } = resume
  const beginVerify = useCallback((id: string) => startVerify({ id, target }), [startVerify, target])
  const beginResume = useCallback((id: string) => startResume({ id, target }), [startResume, target])
  const restore = useCallback((id: string) => setAsked({ task: 'restore', id }), [])
  const remove = useCallback((id: string) => setAsked({ task: 'delete', id }), [])
  const shownColumns = useMemo(
    () =>
      columns(
        {
          open: onOpen,
          verify: verifies ? beginVerify : undefined,
          resume: resumes ? beginResume : undefined,
          restore: restores ? restore : undefined,
          remove: removes ? remove : undefined,
        },
        busy.split(' '),
      ),
    [onOpen, verifies, beginVerify, resumes, beginResume, restores, restore, removes, remove, busy],
  )
  const all = data?.items ?? []
  const rows = useMemo(
    () => (data?.items ?? []).filter(({ namespace }) => ns === undefined || namespace === ns).toReversed(),
    [data, ns],
  )
  const chosen = all.find(({ id }) => id === asked?.id)
  const close = (): void => setAsked(undefined)
  return (
    <Card
      title={t('Backups')}
      aside={t('in {place}; a restore needs all that a backup builds on', { place: targetWords(target) })}
      flush={rows.length > 0}
    >
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <Problem error={verify.error ?? resume.error} />
      {data === undefined && error === null && <Skeleton lines={4} height={22} />}
      {data !== undefined && rows.length === 0 && (
        <Empty title={ns === undefined ? t('No backups yet') : t('No backups of {ns}', { ns })}>
          {t(
            'A backup is a copy of one namespace in files, made while it is read and written. Back a namespace up now, or set a schedule below. Then you can restore it into a new namespace.',
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label={t('Backups')}
          list="backups"
          noun={(n) => t('{n, plural, one {# backup} other {# backups}}', { n })}
          columns={shownColumns}
          rows={rows}
          keyOf={({ id }) => id}
          long={rows.length > LONG}
        />
      )}
      {data?.truncated === true && (
        <p className="more mute">{t('Only the oldest {limit} backups are listed.', { limit: data.limit })}</p>
      )}
      {chosen !== undefined && asked?.task === 'restore' && (
        <RestoreBackup
          backup={chosen}
          target={target}
          onClose={close}
          onStarted={(job) => {
            close()
            onStarted(job)
          }}
        />
      )}
      {chosen !== undefined && asked?.task === 'delete' && (
        <DeleteBackup backup={chosen} target={target} backups={all} onClose={close} />
      )}
    </Card>
  )
}

/** The ids of the backups that jobs are making, as one text, so that it stays the same while they go on. */
const beingMade = ({ items }: JobPage): string =>
  items.flatMap(({ kind, parameters }) => (kind === 'backup' ? [String(parameters['backup'])] : [])).join(' ')
