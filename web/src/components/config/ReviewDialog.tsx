import { useState } from 'react'
import { CurlLine } from '../CurlLine'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { ChangeList, type Planned } from './ChangeList'
import { t } from '../../language/text'

interface Props {
  title: string
  /** the name of the button that does it */
  action: string
  open: boolean
  /** undefined: not known yet */
  changes: readonly Planned[] | undefined
  /** the words of a setting */
  labelOf: (field: string) => string
  call: { method: 'PATCH' | 'POST'; path: string; body: object; etag: string }
  error: unknown
  busy: boolean
  onClose: () => void
  onApply: (reason: string | undefined) => void
}

/** Shows what a change does before it is done, and asks why. */
export function ReviewDialog({ title, open, ...form }: Props) {
  return (
    <Dialog title={title} open={open} onClose={form.onClose} wide>
      <ReviewForm {...form} />
    </Dialog>
  )
}

/** Lives as long as the dialog is open, so each change has its own reason. */
function ReviewForm({ action, changes, labelOf, call, error, busy, onClose, onApply }: Omit<Props, 'title' | 'open'>) {
  const [text, setText] = useState('')
  const reason = text.trim() === '' ? undefined : text.trim()
  const body = reason === undefined ? call.body : { ...call.body, reason }
  const ready = changes?.some(({ applies }) => applies === 'at_once') === true
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready && !busy) onApply(reason)
      }}
    >
      {changes !== undefined && <ChangeList changes={changes} labelOf={labelOf} />}
      <TextField
        label={t('Reason')}
        hint={t('For those who read the history. It may stay empty.')}
        maxLength={500}
        value={text}
        onChange={setText}
      />
      <CurlLine method={call.method} path={call.path} body={JSON.stringify(body)} headers={{ 'If-Match': call.etag }} />
      <Problem error={error} />
      <div className="row end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button type="submit" look="primary" disabled={!ready} busy={busy}>
          {action}
        </Button>
      </div>
    </form>
  )
}
