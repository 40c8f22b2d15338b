import { useCallback, useEffect, useRef, useState, type FocusEvent, type KeyboardEvent, type PointerEvent } from 'react'

/** How long the pointer rests on an element before its tip is shown, ms. */
const REST_MS = 600
/** How long the pointer may take from the element to its tip, ms. */
const WAY_MS = 120

interface PointedAt {
  /** what the pointer rests on, or what has the focus by the keyboard; unset: nothing */
  element: HTMLElement | undefined
  handlers: {
    onPointerEnter: (event: PointerEvent<HTMLElement>) => void
    onPointerLeave: () => void
    onPointerDown: () => void
    onFocus: (event: FocusEvent<HTMLElement>) => void
    onBlur: () => void
    onKeyDown: (event: KeyboardEvent) => void
  }
  /** of what is shown beside it, which stays while the pointer is on it */
  popupHandlers: { onPointerEnter: () => void; onPointerLeave: () => void }
  hide: () => void
}

/** Whether something points at an element. `acts`: a press does something else, and ends it. */
export function usePointedAt(acts: boolean): PointedAt {
  const [element, setElement] = useState<HTMLElement>()
  const waits = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** The focus that a press brings is not that of the keyboard. */
  const isPressed = useRef(false)
  const after = (ms: number, next: HTMLElement | undefined): void => {
    clearTimeout(waits.current)
    waits.current = setTimeout(() => setElement(next), ms)
  }
  const hide = useCallback(() => {
    clearTimeout(waits.current)
    setElement(undefined)
  }, [])
  useEffect(() => () => clearTimeout(waits.current), [])
  const stay = (): void => clearTimeout(waits.current)
  const away = (): void => after(WAY_MS, undefined)
  return {
    element,
    hide,
    handlers: {
      onPointerEnter: ({ currentTarget, pointerType }) => {
        // A finger points at nothing before it presses.
        if (pointerType === 'touch') return
        if (element === undefined) after(REST_MS, currentTarget)
        else stay()
      },
      onPointerLeave: () => {
        isPressed.current = false
        away()
      },
      onPointerDown: () => {
        if (!acts) return
        isPressed.current = true
        hide()
      },
      onFocus: ({ currentTarget, target }) => {
        if (isPressed.current || !isByKeyboard(target)) return
        stay()
        setElement(currentTarget)
      },
      onBlur: () => {
        isPressed.current = false
        hide()
      },
      onKeyDown: (event) => {
        if (element === undefined || event.key !== 'Escape') return
        // A dialog around it stays.
        event.stopPropagation()
        event.preventDefault()
        hide()
      },
    },
    popupHandlers: { onPointerEnter: stay, onPointerLeave: away },
  }
}

const isByKeyboard = (target: Element): boolean => target.matches(':focus-visible')
