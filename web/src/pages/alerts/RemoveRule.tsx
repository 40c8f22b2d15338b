import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { removeAlertRule } from '../../api/actions'
import { isConflict } from '../../api/problem'
import { alertRuleQuery } from '../../api/queries'
import type { AlertMetric } from '../../api/types'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { Dialog } from '../../ui/Dialog'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { toast } from '../../ui/toast'
import { conditionWords } from './rule-form'
import { t } from '../../language/text'

interface Props {
  id: string
  metrics: readonly AlertMetric[]
  onClose: () => void
}

/** Deletes the rule that it shows: one that somebody changed meanwhile is shown again first. */
export function RemoveRule({ id, metrics, onClose }: Props) {
  const queries = useQueryClient()
  const rule = useQuery(alertRuleQuery(id))
  const remove = useMutation({
    mutationFn: (etag: string) => removeAlertRule(id, etag),
    onSuccess: ({ name }) => {
      toast(t('Deleted {name}', { name }))
      onClose()
      // This dialog is there until it has closed, and the rule is not.
      return queries.invalidateQueries({ queryKey: ['alerts'], predicate: ({ queryKey }) => queryKey[2] !== id })
    },
  })
  const showAgain = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['alerts'] })
    remove.reset()
  }
  if (rule.data === undefined)
    return (
      <Dialog title={t('Delete a rule')} open onClose={onClose}>
        {rule.error === null ? <Skeleton lines={3} /> : <Problem error={rule.error} />}
      </Dialog>
    )
  const { name, etag, threshold } = rule.data
  return (
    <Confirm
      title={t('Delete {name}', { name })}
      action={t('Delete rule')}
      busy={remove.isPending || rule.isFetching}
      open
      onClose={onClose}
      onConfirm={() => remove.mutate(etag)}
    >
      <p>
        {conditionWords(
          rule.data,
          metrics.find(({ metric }) => metric === threshold?.metric),
        )}
      </p>
      <p>{t('The server stops evaluating the rule. Its alerts end. Their history stays.')}</p>
      <Problem error={remove.error} />
      {isConflict(remove.error) && (
        <div>
          <Button small busy={rule.isFetching} onClick={() => void showAgain()}>
            {t('Show the changed rule')}
          </Button>
        </div>
      )}
    </Confirm>
  )
}
