import { mergeProps } from '@base-ui/react/merge-props'
import { useRender } from '@base-ui/react/use-render'
import { use, type HTMLAttributes, type ReactElement, type Ref } from 'react'
import { InRow } from './in-row'
import { TipPopup } from './TipPopup'
import { usePointedAt } from './use-pointed-at'

interface Props extends HTMLAttributes<HTMLElement> {
  /** unset: there is nothing more to say */
  text: string | undefined
  /** whether it only repeats the element, whose own text may be cut off */
  cut?: boolean
  ref?: Ref<HTMLElement>
  /** an element or a control, which shows the text under the pointer and with the focus */
  children: ReactElement<HTMLAttributes<HTMLElement>>
}

const controls: readonly unknown[] = ['a', 'button', 'input', 'select', 'textarea']

/**
 * More words about an element, for the pointer, the keyboard and screen readers: never as its `title`, which only the
 * pointer shows. An element that is no control takes the focus; in the row of a table the arrows lead to it. Other
 * attributes go to the element, so it can be the button of a menu. It costs hardly anything until something points at it:
 * a list has hundreds.
 */
export function Tip({ text, cut = false, ref, children, ...rest }: Props) {
  const inRow = use(InRow)
  const says = text !== undefined && text !== ''
  const stops = says && typeof children.type === 'string' && !controls.includes(children.type)
  const { element, handlers, popupHandlers, hide } = usePointedAt(!stops)
  const trigger = useRender({
    render: children,
    ref,
    props: mergeProps<'span'>(says ? handlers : {}, rest, {
      ...(stops && { tabIndex: inRow ? -1 : 0, 'data-tip': '' }),
      ...(says && !cut && text !== children.props['aria-label'] && { 'aria-description': text }),
    }),
  })
  return (
    <>
      {trigger}
      {says && element !== undefined && (
        <TipPopup anchor={element} sideOffset={6} onClose={hide} {...popupHandlers}>
          {text}
        </TipPopup>
      )}
    </>
  )
}
