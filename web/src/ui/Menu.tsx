import { Menu as Base } from '@base-ui/react/menu'
import { useRef, type ReactElement } from 'react'

export interface MenuAction {
  text: string
  act: () => void
}

interface Props {
  /** the button that opens it */
  button: ReactElement<Record<string, unknown>>
  actions: readonly MenuAction[]
}

/** A few actions behind one button. The list stays beside its button, so it also shows in full screen. */
export function Menu({ button, actions }: Props) {
  const place = useRef<HTMLSpanElement>(null)
  return (
    <span ref={place} className="menu">
      <Base.Root modal={false}>
        <Base.Trigger render={button} />
        <Base.Portal container={place}>
          <Base.Positioner align="end" sideOffset={4} className="popup-place">
            <Base.Popup className="popup menu-list">
              {actions.map(({ text, act }) => (
                <Base.Item key={text} onClick={act}>
                  {text}
                </Base.Item>
              ))}
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </span>
  )
}
