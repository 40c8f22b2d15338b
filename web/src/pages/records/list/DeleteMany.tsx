import { plural } from '../../../format'
import { Confirm } from '../../../ui/Confirm'
import { Dialog } from '../../../ui/Dialog'
import { deleteEach } from './bulk'
import { BulkReport } from './BulkReport'
import { type BulkState, useBulk } from './use-bulk'
import type { Chosen } from './use-selection'

/** Above so many records a number has to be typed. */
export const TYPED_ABOVE = 100

export interface ManyProps {
  ns: string
  set: string
  chosen: readonly Chosen[]
  onClose: () => void
  onEnd: (state: BulkState) => void
}

/** Deletes the selected records after a confirmation; one that somebody has changed stays. */
export function DeleteMany({ ns, set, chosen, onClose, onEnd }: ManyProps) {
  const { state, begin, abort } = useBulk(ns, set, onEnd)
  const title = `Delete ${plural(state?.total ?? chosen.length, 'record')}`
  if (state !== undefined)
    return (
      <Dialog title={title} open onClose={state.phase === 'running' ? abort : onClose}>
        <BulkReport state={state} word="deleted" onAbort={abort} onClose={onClose} />
      </Dialog>
    )
  return (
    <Confirm
      title={title}
      open
      typed={chosen.length > TYPED_ABOVE ? String(chosen.length) : undefined}
      action={title}
      onClose={onClose}
      onConfirm={() => begin(chosen, (bulk) => deleteEach(chosen, bulk))}
    >
      <p>
        This cannot be undone. A record that somebody has changed since it was listed stays, and the report names it.
      </p>
    </Confirm>
  )
}
