import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  restoreServerRevision,
  serverConfigQuery,
  serverRevisionsQuery,
  serverRollBackQuery,
} from '../../api/server-config'
import { ReviewDialog } from '../../components/config/ReviewDialog'
import { RevisionTable } from '../../components/config/RevisionTable'
import { t } from '../../language/text'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { toast } from '../../ui/toast'

interface Props {
  /** whether the caller may roll back */
  may: boolean
  onCompare: (number: number) => void
}

const asIs = (field: string): string => field

/** Who changed which settings of the server, when and why; each row leads back to its settings. */
export function ServerHistory({ may, onCompare }: Props) {
  const { data, error, refetch } = useQuery(serverRevisionsQuery())
  const [chosen, setChosen] = useState<number>()
  return (
    <Card title={t('History')} aside={t('the newest 200 revisions of the settings')} flush={data !== undefined}>
      <Problem error={error} {...(error !== null && { onRetry: () => void refetch() })} />
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data !== undefined && (
        <RevisionTable
          label={t('Revisions of the server')}
          list="server-revisions"
          revisions={data.items}
          labelOf={asIs}
          onCompare={onCompare}
          onRollBack={may ? setChosen : undefined}
        />
      )}
      {chosen !== undefined && <RollBack number={chosen} onClose={() => setChosen(undefined)} />}
    </Card>
  )
}

function RollBack({ number, onClose }: { number: number; onClose: () => void }) {
  const queries = useQueryClient()
  const plan = useQuery(serverRollBackQuery(number))
  const etag = plan.data?.etag ?? '*'
  const restore = useMutation({
    mutationFn: (reason: string | undefined) => restoreServerRevision(number, reason, etag),
    onSuccess: (saved) => {
      queries.setQueryData(serverConfigQuery().queryKey, saved)
      toast(t('Rolled back to revision {number}', { number }))
      onClose()
    },
    onError: () => plan.refetch(),
    onSettled: () => queries.invalidateQueries({ queryKey: serverRevisionsQuery().queryKey, exact: true }),
  })
  return (
    <ReviewDialog
      title={t('Roll back to revision {number}', { number })}
      action={t('Roll back')}
      open
      changes={plan.data?.changes}
      labelOf={asIs}
      call={{ method: 'POST', path: `/api/v1/config/revisions/${number}/restore`, body: {}, etag }}
      error={plan.error ?? restore.error}
      busy={restore.isPending || plan.isPending}
      onClose={onClose}
      onApply={(reason) => restore.mutate(reason)}
    />
  )
}
