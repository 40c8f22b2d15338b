import { Dialog as Base } from '@base-ui/react/dialog'
import { useRef, type ReactNode } from 'react'
import { Button } from './Button'
import { Icon } from './Icon'
import { Modal } from './Modal'
import { t } from '../language/text'

interface Props {
  title: string
  open: boolean
  onClose: () => void
  wide?: boolean
  /** it asks the person to sign in again, and others make room for it */
  asksWho?: boolean
  children: ReactNode
}

/** A modal dialog with a title. The focus goes to the field with `autoFocus`, else to the title. */
export function Dialog({ title, open, onClose, wide = false, asksWho = false, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  return (
    <Modal open={open} onClose={onClose} className={wide ? 'dialog wide' : 'dialog'} start={heading} asksWho={asksWho}>
      <header>
        <Base.Title ref={heading} tabIndex={-1}>
          {title}
        </Base.Title>
        <Button look="quiet" aria-label={t('Close')} onClick={onClose}>
          <Icon name="close" />
        </Button>
      </header>
      <div className="body">{children}</div>
    </Modal>
  )
}
