import { Confirm } from '../../../ui/Confirm'
import { Dialog } from '../../../ui/Dialog'
import { deleteEach } from './bulk'
import { BulkReport } from './BulkReport'
import type { Target } from './target'
import { type BulkState, useBulk } from './use-bulk'
import { t } from '../../../language/text'

/** Above so many records a number has to be typed. */
export const TYPED_ABOVE = 100

export interface ManyProps {
  ns: string
  set: string
  target: Target
  onClose: () => void
  onEnd: (state: BulkState) => void
}

/** Deletes the selected records after a confirmation; one that somebody has changed stays. */
export function DeleteMany({ ns, set, target, onClose, onEnd }: ManyProps) {
  const { state, begin, abort } = useBulk(ns, set, onEnd)
  const title = t('Delete {total, plural, one {# record} other {# records}}', { total: state?.total ?? target.total })
  if (state !== undefined)
    return (
      <Dialog title={title} open onClose={state.phase === 'running' ? abort : onClose}>
        <BulkReport state={state} task="delete" stays={target.stays} onAbort={abort} onClose={onClose} />
      </Dialog>
    )
  return (
    <Confirm
      title={title}
      open
      typed={target.total > TYPED_ABOVE ? String(target.total) : undefined}
      action={title}
      onClose={onClose}
      onConfirm={() => begin(target, deleteEach)}
    >
      <p>
        {t(
          'This cannot be undone. A record that somebody has changed since it was listed stays, and the report names it.',
        )}
      </p>
    </Confirm>
  )
}
