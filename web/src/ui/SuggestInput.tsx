import { Autocomplete } from '@base-ui/react/autocomplete'
import { useLayoutEffect, useRef, useState, type ComponentProps } from 'react'

interface Props extends Omit<ComponentProps<typeof Autocomplete.Input>, 'value' | 'onChange' | 'className' | 'ref'> {
  /** what may be meant; any other text is taken too */
  names: readonly string[]
  value: string
  onChange: (value: string) => void
  className?: string
}

/** How many suggestions are drawn at once; more letters find the others. */
const DRAWN = 100

/** A field for a name that suggests those that are known. What stands around it can be read while they are shown. */
export function SuggestInput({ names, value, onChange, disabled, className = 'input mono', ...rest }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const [open, setOpen] = useState(false)
  const { contains } = Autocomplete.useFilter({ sensitivity: 'base' })
  useLayoutEffect(() => (open ? keepReadable(input.current) : undefined), [open])
  return (
    <Autocomplete.Root
      items={names}
      value={value}
      onValueChange={onChange}
      disabled={disabled}
      limit={DRAWN}
      // What is typed in full needs no suggestion, which would only cover the next field.
      filter={(name: string, typed) => name !== typed && contains(name, typed)}
      open={open}
      onOpenChange={setOpen}
      openOnInputClick
    >
      <Autocomplete.Input {...rest} ref={input} className={className} autoComplete="off" spellCheck={false} />
      <Autocomplete.Portal>
        <Autocomplete.Positioner className="popup-place" sideOffset={4} align="start">
          <Autocomplete.Popup className="popup choice-popup suggestions">
            <Autocomplete.List className="options">
              {(name: string) => (
                <Autocomplete.Item key={name} value={name}>
                  <span className="mono">{name}</span>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  )
}

/**
 * The library hides all but the list from screen readers, except live regions and what is in them. `off` announces
 * nothing, so the dialog or the page around the field is read as before.
 */
function keepReadable(input: HTMLElement | null): (() => void) | undefined {
  const around = input?.closest('body > *')
  if (around === null || around === undefined || around.hasAttribute('aria-live')) return undefined
  around.setAttribute('aria-live', 'off')
  return () => around.removeAttribute('aria-live')
}
