import { Dialog } from '@base-ui/react/dialog'
import { useRef, type ReactNode, type RefObject } from 'react'
import { useSignInAgain } from '../api/sign-in-again'

interface Props {
  open: boolean
  onClose: () => void
  className: string
  /** the accessible name, unless the body has a title of the library */
  label?: string
  /** takes the focus if no field with `autoFocus` does; unset: the first control */
  start?: RefObject<HTMLElement | null>
  /** it asks the person to sign in again */
  asksWho?: boolean
  children: ReactNode
}

/** What lies over the page and holds the focus until it is closed: dialogs, the drawer, the command palette. */
export function Modal({ open: wanted, onClose, className, label, start, asksWho = false, children }: Props) {
  const popup = useRef<HTMLDivElement>(null)
  // Two side by side would take each other's focus. It comes back when the person has signed in.
  const isAway = useSignInAgain() && !asksWho
  const open = wanted && !isAway
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose()
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          ref={popup}
          className={className}
          aria-label={label}
          initialFocus={() => {
            if (popup.current?.contains(document.activeElement) === true) return false
            return start?.current ?? true
          }}
        >
          {/* While it fades out, it shows nothing of what is gone. */}
          {open && children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
