import { ActionButton } from '../../components/access/ActionButton'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { backupsQuery, backupTargetsQuery } from '../../api/backups'
import { roleNeeded } from '../../api/may'
import { namespacesQuery } from '../../api/queries'
import { useMay } from '../../api/use-may'
import { inPlace } from '../../search'
import { Page } from '../../shell/Page'
import { Card } from '../../ui/Card'
import { plainChoices, SmallSelect } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { BackUp } from './BackUp'
import { BackupDialog } from './BackupDialog'
import { BackupJobs } from './BackupJobs'
import { BackupList } from './BackupList'
import { SchedulesCard } from './SchedulesCard'
import type { BackupsSearch } from './search'
import { targetChoices } from './target'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

/** Backups of namespaces: what there is, how to make, verify and restore them, and when they are made by themselves. */
export function BackupsPage() {
  const { ns, target, id, create = false } = useSearch({ from: '/backups' })
  const navigate = useNavigate({ from: '/backups' })
  const may = useMay()
  const lists = may('listBackups')
  const { data } = useQuery({ ...backupsQuery(target), enabled: lists })
  const { data: targets = [] } = useQuery({ ...backupTargetsQuery(), enabled: may('listBackupTargets') })
  const { data: namespaces, error } = useQuery(namespacesQuery())
  const [started, setStarted] = useState<readonly string[]>([])
  // One that was dropped has backups, too.
  const names = [
    ...new Set([
      ...(namespaces?.items ?? []).map(({ name }) => name),
      ...(data?.items ?? []).flatMap(({ namespace }) => (namespace === undefined ? [] : [namespace])),
      ...(ns === undefined ? [] : [ns]),
    ]),
  ].toSorted()
  const show = useCallback(
    (part: BackupsSearch): void => void navigate({ search: (old) => ({ ...old, ...part }), ...inPlace }),
    [navigate],
  )
  const open = useCallback((next: string): void => show({ id: next }), [show])
  const onStarted = (job: string): void => setStarted((before) => [...before, job])
  return (
    <Page
      title={t('Backups')}
      controls={
        <>
          <SmallSelect
            label={t('Namespace')}
            value={ns ?? ''}
            choices={[{ value: '', label: t('all namespaces') }, ...plainChoices(names)]}
            onChange={(next) => show({ ns: next === '' ? undefined : next })}
          />
          {lists && (targets.length > 0 || target !== undefined) && (
            <SmallSelect
              label={t('Place')}
              value={target ?? ''}
              choices={targetChoices(targets, target)}
              onChange={(next) => show({ target: next === '' ? undefined : next, id: undefined })}
            />
          )}
          <ActionButton
            operation="startBackup"
            place={{ namespace: ns }}
            look="primary"
            onClick={() => show({ create: true })}
          >
            {t('Back up now')}
          </ActionButton>
        </>
      }
    >
      <Problem error={error} />
      <BackupJobs ns={ns} started={started} />
      {lists ? (
        <BackupList ns={ns} target={target} onOpen={open} onStarted={onStarted} />
      ) : (
        <Card title={t('Backups')}>
          <p className="mute small">
            <Say
              text="Seeing and restoring backups needs the role <b>{value}</b> for the whole server."
              values={{ value: roleNeeded('listBackups') }}
            />
          </p>
        </Card>
      )}
      <SchedulesCard ns={ns} targets={targets} />
      <BackUp
        namespace={ns}
        target={target}
        targets={targets}
        backups={data?.items ?? []}
        open={create}
        onClose={() => show({ create: undefined })}
        onStarted={(job) => {
          show({ create: undefined })
          onStarted(job)
        }}
      />
      {lists && <BackupDialog id={id} target={target} backups={data?.items} onClose={() => show({ id: undefined })} />}
    </Page>
  )
}
