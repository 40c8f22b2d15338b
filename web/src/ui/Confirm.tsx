import { useState, type ReactNode } from 'react'
import { Button } from './Button'
import { Dialog } from './Dialog'
import { TextField } from './inputs'
import { t } from '../language/text'
import { Say } from '../language/Say'

interface FormProps {
  /** the user must type this to enable the button; unset for harmless actions */
  typed?: string | undefined
  action: string
  busy?: boolean
  onClose: () => void
  onConfirm: () => void
  children: ReactNode
}

interface Props extends FormProps {
  title: string
  open: boolean
}

/** Asks before a destructive action. If it cannot be undone, the user must type the name. */
export function Confirm({ title, open, ...form }: Props) {
  return (
    <Dialog title={title} open={open} onClose={form.onClose}>
      <ConfirmForm {...form} />
    </Dialog>
  )
}

/** Lives as long as the dialog is open, so the name has to be typed each time. */
function ConfirmForm({ typed, action, busy = false, onClose, onConfirm, children }: FormProps) {
  const [text, setText] = useState('')
  const ready = typed === undefined || text === typed
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready && !busy) onConfirm()
      }}
    >
      {children}
      {typed !== undefined && (
        <TextField
          label={
            <>
              <Say text="Type <code>{typed}</code> to confirm" values={{ typed }} />
            </>
          }
          value={text}
          onChange={setText}
          mono
          autoFocus
        />
      )}
      <div className="row end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button type="submit" look="danger primary" disabled={!ready} busy={busy}>
          {action}
        </Button>
      </div>
    </form>
  )
}
