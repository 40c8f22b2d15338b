import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { startJob } from '../../../api/actions'
import { requestBody } from '../../../records/body'
import { Button } from '../../../ui/Button'
import { Problem } from '../../../ui/Problem'
import { t } from '../../../language/text'

/** Starts a compaction job and shows it. */
export function CompactButton({ name }: { name: string }) {
  const navigate = useNavigate()
  const compact = useMutation({
    mutationFn: () => startJob(requestBody({ kind: 'compaction', namespace: name }, {})),
    onSuccess: ({ id }) => void navigate({ to: '/jobs', search: { id } }),
  })
  return (
    <>
      <Button small busy={compact.isPending} onClick={() => compact.mutate()}>
        {t('Compact')}
      </Button>
      <Problem error={compact.error} />
    </>
  )
}
