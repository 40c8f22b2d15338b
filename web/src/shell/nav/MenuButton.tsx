import { useState } from 'react'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { Modal } from '../../ui/Modal'
import { Nav } from './Nav'
import { t } from '../../language/text'

/** On narrow screens the navigation is a drawer behind this button. */
export function MenuButton() {
  const [open, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  return (
    <>
      <Button look="quiet" className="menu-button" aria-label={t('Open navigation')} onClick={() => setOpen(true)}>
        <Icon name="menu" />
      </Button>
      <Modal open={open} onClose={close} className="drawer" label={t('Navigation')}>
        <Nav onNavigate={close} />
      </Modal>
    </>
  )
}
