import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { t } from '../../language/text'

interface Props {
  open: boolean
  /** whether the browser keeps the draft */
  kept: boolean
  onStay: () => void
  onLeave: () => void
  onDiscard: () => void
}

/** Asks before a changed record is closed. */
export function LeaveDialog({ open, kept, onStay, onLeave, onDiscard }: Props) {
  return (
    <Dialog title={t('Close without saving?')} open={open} onClose={onStay}>
      <div className="stack">
        <p>
          {kept
            ? t('Your changes are not saved. This browser keeps them as a draft of this record.')
            : t('Your changes are not saved. This browser has no room to keep them, so they would be lost.')}
        </p>
        <div className="row end">
          <Button look="danger" onClick={onDiscard}>
            {t('Discard changes')}
          </Button>
          {kept && <Button onClick={onLeave}>{t('Close and keep the draft')}</Button>}
          <Button look="primary" onClick={onStay}>
            {t('Keep editing')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
