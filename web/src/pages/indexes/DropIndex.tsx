import { useMutation } from '@tanstack/react-query'
import { dropIndex } from '../../api/actions'
import type { Index } from '../../api/types'
import { useRefreshNamespaces } from '../../components/jobs/use-job'
import { bytes } from '../../format'
import { Confirm } from '../../ui/Confirm'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

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
      toast(t('Dropped index {name}', { name: index?.name ?? '' }))
      onClose()
      onDropped?.()
    },
  })
  return (
    <Confirm
      title={t('Drop index {name}', { name: index?.name ?? '' })}
      action={t('Drop index')}
      busy={drop.isPending}
      open={index !== undefined}
      onClose={onClose}
      onConfirm={() => {
        if (index !== undefined) drop.mutate(index)
      }}
    >
      {index !== undefined && (
        <p>
          <Say
            text="The index <code>{name}</code> of <code>{namespace}</code> goes: {entries, plural, one {# entry} other {# entries}}, {bytes} come back. Records stay; queries that used it read more of them."
            values={{ name: index.name, namespace: index.namespace, entries: index.entries, bytes: bytes(index.bytes) }}
          />
        </p>
      )}
      <Problem error={drop.error} />
    </Confirm>
  )
}
