import { useId, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'

export interface ChartAction {
  text: string
  act: () => void
}

/** What else a chart can do, behind one button. */
export function ChartMenu({ title, actions }: { title: string; actions: readonly ChartAction[] }) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const close = (): void => {
    setOpen(false)
    button.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !isOpen) return
    event.stopPropagation()
    close()
  }
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    if (!currentTarget.contains(relatedTarget)) setOpen(false)
  }
  return (
    <div className="chart-menu" role="group" aria-label={`Actions for ${title}`} onKeyDown={onKeyDown} onBlur={onBlur}>
      <Button
        ref={button}
        small
        look="quiet"
        aria-label={`More for ${title}`}
        title="Save, full screen, link"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" />
      </Button>
      {isOpen && (
        <ul id={id}>
          {actions.map(({ text, act }) => (
            <li key={text}>
              <button
                type="button"
                onClick={() => {
                  close()
                  act()
                }}
              >
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
