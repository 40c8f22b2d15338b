import { Autocomplete } from '@base-ui/react/autocomplete'
import type { ComponentProps } from 'react'

interface Props extends Omit<ComponentProps<typeof Autocomplete.Input>, 'value' | 'onChange' | 'className'> {
  /** what may be meant; any other text is taken too */
  names: readonly string[]
  value: string
  onChange: (value: string) => void
}

/** How many suggestions are drawn at once; more letters find the others. */
const DRAWN = 100

/** A field for a name that suggests those that are known. */
export function SuggestInput({ names, value, onChange, disabled, ...rest }: Props) {
  return (
    <Autocomplete.Root
      items={names}
      value={value}
      onValueChange={onChange}
      disabled={disabled}
      limit={DRAWN}
      openOnInputClick
    >
      <Autocomplete.Input {...rest} className="input mono" autoComplete="off" spellCheck={false} />
      <Autocomplete.Portal>
        <Autocomplete.Positioner className="popup-place" sideOffset={4} align="start">
          <Autocomplete.Popup className="popup choice-popup">
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
