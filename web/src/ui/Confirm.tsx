import { useState, type ReactNode } from 'react'
import { Button } from './Button'
import { Dialog } from './Dialog'
import { TextField } from './inputs'

interface Props {
  title: string
  /** the user must type this to enable the button; unset for harmless actions */
  typed?: string | undefined
  action: string
  busy?: boolean
  open: boolean
  onClose: () => void
  onConfirm: () => void
  children: ReactNode
}

/** Asks before a destructive action. If it cannot be undone, the user must type the name. */
export function Confirm({ title, typed, action, busy = false, open, onClose, onConfirm, children }: Props) {
  const [text, setText] = useState('')
  const ready = typed === undefined || text === typed
  const close = (): void => {
    setText('')
    onClose()
  }
  return (
    <Dialog title={title} open={open} onClose={close}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) {
            setText('')
            onConfirm()
          }
        }}
      >
        {children}
        {typed !== undefined && (
          <TextField
            label={
              <>
                Type <code>{typed}</code> to confirm
              </>
            }
            value={text}
            onChange={setText}
            mono
            autoFocus
          />
        )}
        <div className="row end">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look="danger primary" disabled={!ready} busy={busy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
