import { Tooltip } from '@base-ui/react/tooltip'
import type { ComponentProps, ReactNode } from 'react'
import { topLayer } from './top-layer'

interface Props extends Pick<ComponentProps<typeof Tooltip.Popup>, 'onPointerEnter' | 'onPointerLeave'> {
  anchor: Element
  /** between both, pixels */
  sideOffset: number
  side?: 'top' | 'bottom'
  align?: 'start' | 'center'
  /** Escape, or a press elsewhere */
  onClose: () => void
  children: ReactNode
}

/** The text of a tip, beside what it is about. */
export function TipPopup({ anchor, sideOffset, side, align, onClose, ...rest }: Props) {
  return (
    <Tooltip.Root open onOpenChange={(open) => !open && onClose()}>
      <Tooltip.Portal container={topLayer}>
        <Tooltip.Positioner
          className="popup-place"
          anchor={anchor}
          sideOffset={sideOffset}
          {...(side !== undefined && { side })}
          {...(align !== undefined && { align })}
        >
          <Tooltip.Popup className="popup tip" {...rest} />
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
