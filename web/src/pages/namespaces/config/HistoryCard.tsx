import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { restoreRevision } from '../../../api/actions'
import { configRevisionsQuery, namespaceQuery, rollBackPlanQuery } from '../../../api/queries'
import type { ConfigRevision, VersionedNamespace } from '../../../api/types'
import { dateTime } from '../../../format'
import type { ColumnDef } from '../../../table/column'
import { DataTable } from '../../../table/DataTable'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { toast } from '../../../ui/toast'
import { labelOf } from './catalogue'
import { shown } from './ChangeList'
import { ReviewDialog } from './ReviewDialog'
import { t } from '../../../language/text'

const causes: Readonly<Record<ConfigRevision['cause'], string>> = {
  created: t('created'),
  changed: t('changed'),
  restored: t('rolled back'),
  migrated: t('migrated'),
  found: t('found'),
}

interface Props {
  namespace: VersionedNamespace
  /** whether the caller may roll back */
  may: boolean
  onCompare: (number: number) => void
}

/** Who changed which settings, when and why; each row leads back to its settings. */
export function HistoryCard({ namespace, may, onCompare }: Props) {
  const { data, error, refetch } = useQuery(configRevisionsQuery(namespace.name))
  const [chosen, setChosen] = useState<number>()
  const newest = data?.items[0]?.number
  const columns: ColumnDef<ConfigRevision>[] = [
    { name: 'revision', label: t('revision'), right: true, cell: ({ number }) => number },
    { name: 'time', label: t('time'), low: 1, cell: ({ at }) => dateTime(Date.parse(at)) },
    { name: 'who', label: t('who'), low: 2, cell: ({ who }) => (who === 'outside' ? t('outside the gateway') : who) },
    { name: 'what', label: t('what'), cell: (revision) => <What revision={revision} namespace={namespace} /> },
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
            {may && (
              <Button
                small
                onClick={() => setChosen(number)}
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
    <Card title={t('History')} aside={t('the newest 200 revisions of the settings')} flush={data !== undefined}>
      <Problem error={error} {...(error !== null && { onRetry: () => void refetch() })} />
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data !== undefined && (
        <DataTable
          label={t('Revisions of {name}', { name: namespace.name })}
          list="config-revisions"
          noun={(n) => t('{n, plural, one {# revision} other {# revisions}}', { n })}
          columns={columns}
          rows={data.items}
          keyOf={({ number }) => String(number)}
        />
      )}
      {chosen !== undefined && <RollBack namespace={namespace} number={chosen} onClose={() => setChosen(undefined)} />}
    </Card>
  )
}

function What({
  revision: { cause, restored, changes },
  namespace,
}: {
  revision: ConfigRevision
  namespace: VersionedNamespace
}) {
  return (
    <div className="diff">
      <div>
        <span className="badge">{causes[cause]}</span>
        {restored !== undefined && <span className="mute"> {t('to revision {restored}', { restored })}</span>}
      </div>
      {changes.map(({ field, from, to }) => (
        <div key={field}>
          <span className="mute">{labelOf(field, namespace.config)} </span>
          <del>{shown(from)}</del> <ins>{shown(to)}</ins>
        </div>
      ))}
    </div>
  )
}

function RollBack({
  namespace,
  number,
  onClose,
}: {
  namespace: VersionedNamespace
  number: number
  onClose: () => void
}) {
  const { name, config } = namespace
  const queries = useQueryClient()
  const plan = useQuery(rollBackPlanQuery(name, number))
  const etag = plan.data?.etag ?? '*'
  const restore = useMutation({
    mutationFn: (reason: string | undefined) => restoreRevision(name, number, reason, etag),
    onSuccess: (saved) => {
      queries.setQueryData(namespaceQuery(name).queryKey, saved)
      toast(t('Rolled back to revision {number}', { number }))
      onClose()
    },
    onError: () => plan.refetch(),
    onSettled: () => queries.invalidateQueries({ queryKey: configRevisionsQuery(name).queryKey }),
  })
  return (
    <ReviewDialog
      title={t('Roll back to revision {number}', { number })}
      action={t('Roll back')}
      open
      changes={plan.data?.changes}
      config={config}
      call={{
        method: 'POST',
        path: `/api/v1/namespaces/${encodeURIComponent(name)}/config/revisions/${number}/restore`,
        body: {},
        etag,
      }}
      error={plan.error ?? restore.error}
      busy={restore.isPending || plan.isPending}
      onClose={onClose}
      onApply={(reason) => restore.mutate(reason)}
    />
  )
}
