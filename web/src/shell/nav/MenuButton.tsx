import { useRef } from 'react'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { Nav } from './Nav'

/** On narrow screens the navigation is a drawer behind this button. */
export function MenuButton() {
  const drawer = useRef<HTMLDialogElement>(null)
  const close = (): void => drawer.current?.close()
  return (
    <>
      <Button
        look="quiet"
        className="menu-button"
        aria-label="Open navigation"
        onClick={() => drawer.current?.showModal()}
      >
        <Icon name="menu" />
      </Button>
      <dialog
        ref={drawer}
        className="drawer"
        aria-label="Navigation"
        onClick={(event) => {
          if (event.target === drawer.current) close()
        }}
      >
        <Nav onNavigate={close} />
      </dialog>
    </>
  )
}
