import { Tooltip } from '@base-ui/react/tooltip'
import { use, type HTMLAttributes, type ReactElement } from 'react'
import { InRow } from './in-row'
import { topLayer } from './top-layer'

interface Props extends HTMLAttributes<HTMLElement> {
  /** unset: there is nothing more to say */
  text: string | undefined
  /** whether it only repeats the element, whose own text may be cut off */
  cut?: boolean
  /** an element or a control, which shows the text under the pointer and with the focus */
  children: ReactElement<HTMLAttributes<HTMLElement>>
}

const controls: readonly unknown[] = ['a', 'button', 'input', 'select', 'textarea']

/**
 * More words about an element, for the pointer, the keyboard and screen readers: never as its `title`, which only the
 * pointer shows. An element that is no control takes the focus; in the row of a table the arrows lead to it. Other
 * attributes go to the element, so it can be the button of a menu.
 */
export function Tip({ text, cut = false, children, ...rest }: Props) {
  const inRow = use(InRow)
  const says = text !== undefined && text !== ''
  const stops = says && typeof children.type === 'string' && !controls.includes(children.type)
  return (
    <Tooltip.Root disabled={!says}>
      <Tooltip.Trigger
        {...rest}
        render={children}
        closeOnClick={!stops}
        {...(stops && { tabIndex: inRow ? -1 : 0, 'data-tip': '' })}
        {...(says && !cut && text !== children.props['aria-label'] && { 'aria-description': text })}
      />
      <Tooltip.Portal container={topLayer}>
        <Tooltip.Positioner className="popup-place" sideOffset={6}>
          <Tooltip.Popup className="popup tip">{text}</Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
