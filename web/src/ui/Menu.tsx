import { Menu as Base } from '@base-ui/react/menu'
import { useRef, type ReactElement } from 'react'
import { topLayer } from './top-layer'

export type MenuAction = { text: string } & (
  | { act: () => void; link?: never }
  /** what leads somewhere by itself, without its text */
  | { link: ReactElement<Record<string, unknown>>; act?: never }
)

interface Props {
  /** the button that opens it */
  button: ReactElement<Record<string, unknown>>
  actions: readonly MenuAction[]
  /** whether the list lies over the page: what is around the button would cover it or cut it off */
  apart?: boolean
}

/** A few actions behind one button. The list stays beside its button, so it also shows in full screen. */
export function Menu({ button, actions, apart = false }: Props) {
  const place = useRef<HTMLSpanElement>(null)
  return (
    <span ref={place} className="menu">
      <Base.Root modal={false}>
        <Base.Trigger render={button} />
        <Base.Portal container={apart ? topLayer : place}>
          <Base.Positioner align={apart ? 'start' : 'end'} sideOffset={4} className="popup-place">
            <Base.Popup className="popup menu-list">
              {actions.map(({ text, act, link }, index) => (
                <Base.Item key={`${index} ${text}`} onClick={act} {...(link !== undefined && { render: link })}>
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
