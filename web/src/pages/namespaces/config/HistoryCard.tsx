import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { restoreRevision } from '../../../api/actions'
import { configRevisionsQuery, namespaceQuery, rollBackPlanQuery } from '../../../api/queries'
import type { VersionedNamespace } from '../../../api/types'
import { ReviewDialog } from '../../../components/config/ReviewDialog'
import { RevisionTable } from '../../../components/config/RevisionTable'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { toast } from '../../../ui/toast'
import { labelOf } from './catalogue'
import { t } from '../../../language/text'

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
  return (
    <Card title={t('History')} aside={t('the newest 200 revisions of the settings')} flush={data !== undefined}>
      <Problem error={error} {...(error !== null && { onRetry: () => void refetch() })} />
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data !== undefined && (
        <RevisionTable
          label={t('Revisions of {name}', { name: namespace.name })}
          list="config-revisions"
          revisions={data.items}
          labelOf={(field) => labelOf(field, namespace.config)}
          onCompare={onCompare}
          onRollBack={may ? setChosen : undefined}
        />
      )}
      {chosen !== undefined && <RollBack namespace={namespace} number={chosen} onClose={() => setChosen(undefined)} />}
    </Card>
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
      labelOf={(field) => labelOf(field, config)}
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
