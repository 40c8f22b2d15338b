import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { backupSchedulesQuery, removeBackupSchedule, useRefreshBackups } from '../../api/backups'
import type { BackupSchedule } from '../../api/types'
import { useMay } from '../../api/use-may'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { count, dateTime } from '../../format'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Confirm } from '../../ui/Confirm'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { Ago } from '../../ui/Time'
import { toast } from '../../ui/toast'
import { chainWords, everyWords } from './schedule-form'
import { ScheduleDialog } from './ScheduleDialog'
import { targetWords } from './target'
import { serverText } from '../../language/server-text'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

/** When namespaces are backed up by themselves, when next, and how the last time went. */
export function SchedulesCard({ ns, targets }: { ns: string | undefined; targets: readonly string[] }) {
  const { data, error, refetch } = useQuery(backupSchedulesQuery())
  const [setting, setSetting] = useState<{ namespace: string | undefined }>()
  const [ending, setEnding] = useState<string>()
  const may = useMay()
  const sets = may('setBackupSchedule', { namespace: ns })
  const rows = (data?.items ?? []).filter(({ namespace }) => ns === undefined || namespace === ns)
  const actions = ({ namespace }: BackupSchedule) =>
    may('setBackupSchedule', { namespace }) && (
      <div className="row">
        <Button
          small
          aria-label={t('Change the schedule of {namespace}', { namespace })}
          onClick={() => setSetting({ namespace })}
        >
          {t('Change…')}
        </Button>
        <Button
          small
          look="danger"
          aria-label={t('End the schedule of {namespace}', { namespace })}
          onClick={() => setEnding(namespace)}
        >
          {t('End…')}
        </Button>
      </div>
    )
  return (
    <Card
      title={t('Schedules')}
      aside={t('times to set are in UTC; shown are yours')}
      end={
        sets &&
        data !== undefined && (
          <Button small onClick={() => setSetting({ namespace: ns })}>
            {t('Set a schedule')}
          </Button>
        )
      }
      flush={rows.length > 0}
    >
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={2} height={22} />}
      {data !== undefined && rows.length === 0 && (
        <Empty
          title={ns === undefined ? t('No schedules') : t('No schedule for {ns}', { ns })}
          action={!sets && <RoleNeeded what={t('Setting one')} operation="setBackupSchedule" />}
        >
          {t('A schedule backs a namespace up each so many hours, and deletes old backups of its own.')}
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label={t('Schedules')}
          list="schedules"
          noun={(n) => t('{n, plural, one {# schedule} other {# schedules}}', { n })}
          prefix="schedules"
          rows={rows}
          keyOf={({ namespace }) => namespace}
          columns={[
            {
              name: 'namespace',
              label: t('namespace'),
              sort: ({ namespace }) => namespace,
              cell: ({ namespace }) => <strong>{namespace}</strong>,
            },
            { name: 'when', label: t('when'), sort: ({ everyHours }) => everyHours, cell: everyWords },
            { name: 'makes', label: t('makes'), cell: chainWords },
            ...(rows.some(({ target }) => target !== undefined)
              ? [{ name: 'place', label: t('place'), cell: ({ target }: BackupSchedule) => targetWords(target) }]
              : []),
            {
              name: 'next',
              label: t('next'),
              sort: ({ nextAt }) => nextAt,
              cell: ({ nextAt }) => <time dateTime={nextAt}>{dateTime(Date.parse(nextAt))}</time>,
            },
            {
              name: 'last',
              label: t('last'),
              sort: ({ lastAt = '' }) => lastAt,
              cell: ({ lastAt }) => <Ago time={lastAt} />,
            },
            { name: 'how it went', label: t('how it went'), cell: (schedule) => <Outcome schedule={schedule} /> },
            {
              name: 'kept',
              label: t('kept'),
              right: true,
              sort: ({ backups }) => backups.length,
              cell: ({ backups }) => count(backups.length),
            },
            ...(sets ? [{ name: 'actions', label: t('actions'), actions: true, cell: actions }] : []),
          ]}
        />
      )}
      {setting !== undefined && (
        <ScheduleDialog
          namespace={setting.namespace}
          schedules={data?.items ?? []}
          targets={targets}
          onClose={() => setSetting(undefined)}
        />
      )}
      {ending !== undefined && <EndSchedule namespace={ending} onClose={() => setEnding(undefined)} />}
    </Card>
  )
}

function Outcome({ schedule: { lastAt, lastFailure, missedAt } }: { schedule: BackupSchedule }) {
  return (
    <>
      {lastFailure !== undefined && (
        <>
          <span className="badge bad">{t('failed')}</span>{' '}
          <span className="small">{serverText(lastFailure.message, lastFailure.said)}</span>
        </>
      )}
      {lastFailure === undefined && (
        <span className={`badge ${lastAt === undefined ? '' : 'good'}`}>
          {lastAt === undefined ? t('not yet') : t('ok')}
        </span>
      )}
      {missedAt !== undefined && (
        <div className="mute small">
          {t('one was missed: due {missedAt}, made later', { missedAt: dateTime(Date.parse(missedAt)) })}
        </div>
      )}
    </>
  )
}

function EndSchedule({ namespace, onClose }: { namespace: string; onClose: () => void }) {
  const refresh = useRefreshBackups()
  const end = useMutation({
    mutationFn: () => removeBackupSchedule(namespace),
    onSuccess: () => {
      refresh()
      toast(t('Ended the schedule of {namespace}', { namespace }))
      onClose()
    },
  })
  return (
    <Confirm
      title={t('End the schedule of {namespace}', { namespace })}
      action={t('End schedule')}
      busy={end.isPending}
      open
      onClose={onClose}
      onConfirm={() => end.mutate()}
    >
      <p>
        <Say
          text="<code>{namespace}</code> is no longer backed up by itself. The backups that the schedule has made stay."
          values={{ namespace }}
        />
      </p>
      <Problem error={end.error} />
    </Confirm>
  )
}
