import { Tooltip } from '@base-ui/react/tooltip'
import { useId, type ReactElement } from 'react'

interface Props {
  text: string
  /** a control that can take the focus; it shows the text under the pointer, and with the focus */
  children: ReactElement<Record<string, unknown>>
}

/** A short explanation of a control, for the pointer, the keyboard and screen readers. */
export function Tip({ text, children }: Props) {
  const id = useId()
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} aria-describedby={id} />
      <span id={id} hidden>
        {text}
      </span>
      <Tooltip.Portal>
        <Tooltip.Positioner className="popup-place" sideOffset={6}>
          <Tooltip.Popup className="popup tip">{text}</Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
