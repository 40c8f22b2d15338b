import { useEffect, useId, useRef, type ReactNode } from 'react'
import { Button } from './Button'
import { Icon } from './Icon'

interface Props {
  title: string
  open: boolean
  onClose: () => void
  wide?: boolean
  children: ReactNode
}

/** A modal dialog with the browser's own <dialog>, which brings focus trap, Escape and inert background. */
export function Dialog({ title, open, onClose, wide = false, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    if (dialog === null) return
    if (open && !dialog.open) dialog.showModal()
    if (!open && dialog.open) dialog.close()
  }, [open])
  return (
    <dialog
      ref={ref}
      className={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === ref.current) onClose()
      }}
    >
      <header>
        <h2 id={id} tabIndex={-1} autoFocus>
          {title}
        </h2>
        <Button look="quiet" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </header>
      {open && <div className="body">{children}</div>}
    </dialog>
  )
}
