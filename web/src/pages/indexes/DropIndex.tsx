import { useMutation } from '@tanstack/react-query'
import { dropIndex } from '../../api/actions'
import type { Index } from '../../api/types'
import { useRefreshNamespaces } from '../../components/jobs/use-job'
import { bytes, plural } from '../../format'
import { Confirm } from '../../ui/Confirm'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'

interface Props {
  /** undefined: the dialog is closed */
  index: Index | undefined
  onClose: () => void
  onDropped?: () => void
}

/** Drops an index, and aborts its build if it runs. */
export function DropIndex({ index, onClose, onDropped }: Props) {
  const refresh = useRefreshNamespaces()
  const drop = useMutation({
    mutationFn: ({ namespace, name }: Index) => dropIndex(namespace, name),
    onSuccess: () => {
      refresh()
      toast(`Dropped index ${index?.name ?? ''}`)
      onClose()
      onDropped?.()
    },
  })
  return (
    <Confirm
      title={`Drop index ${index?.name ?? ''}`}
      action="Drop index"
      busy={drop.isPending}
      open={index !== undefined}
      onClose={onClose}
      onConfirm={() => {
        if (index !== undefined) drop.mutate(index)
      }}
    >
      {index !== undefined && (
        <p>
          The index <code>{index.name}</code> of <code>{index.namespace}</code> goes: {plural(index.entries, 'entry')},{' '}
          {bytes(index.bytes)} come back. Records stay; queries that used it read more of them.
        </p>
      )}
      <Problem error={drop.error} />
    </Confirm>
  )
}
