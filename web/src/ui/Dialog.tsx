import { useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { Button } from './Button'
import { Icon } from './Icon'

interface Props {
  title: string
  open: boolean
  onClose: () => void
  wide?: boolean
  children: ReactNode
}

/**
 * A modal dialog with the browser's own <dialog>, which brings focus trap, Escape and inert background. The focus goes to
 * the field with `autoFocus`, else to the title.
 */
export function Dialog({ title, open, onClose, wide = false, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const pressedOutside = useRef(false)
  const id = useId()
  // The body follows the open dialog, because a field in a closed one cannot take the focus.
  const [shown, setShown] = useState(false)
  // A layout effect closes a dialog before it leaves the page; else the browser does not return the focus.
  useLayoutEffect(() => {
    const dialog = ref.current
    if (!open || dialog === null) return
    dialog.showModal()
    heading.current?.focus()
    setShown(true)
    return () => {
      setShown(false)
      dialog.close()
    }
  }, [open])
  return (
    <dialog
      ref={ref}
      className={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      // Only what the user closes: the event also comes, later, after `open` has become false.
      onClose={(event) => {
        if (open && !event.currentTarget.open) onClose()
      }}
      // A selection that ends outside is no click outside.
      onPointerDown={(event) => {
        pressedOutside.current = event.target === ref.current
      }}
      onClick={(event) => {
        if (event.target === ref.current && pressedOutside.current) onClose()
      }}
    >
      <header>
        <h2 ref={heading} id={id} tabIndex={-1}>
          {title}
        </h2>
        <Button look="quiet" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </header>
      {open && shown && <div className="body">{children}</div>}
    </dialog>
  )
}
