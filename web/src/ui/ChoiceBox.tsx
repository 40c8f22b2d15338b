import { Combobox } from '@base-ui/react/combobox'
import type { CSSProperties } from 'react'
import { count } from '../format'
import type { Choice, ChoiceSearch } from './choice'
import type { Described } from './described-by'
import { Icon } from './Icon'
import { t } from '../language/text'

interface Props<T extends string> extends Described {
  id?: string | undefined
  'aria-label'?: string | undefined
  className: string
  style?: CSSProperties | undefined
  value: T
  choices: readonly Choice<T>[]
  onChange: (value: T) => void
  disabled?: boolean | undefined
  /** unset: the choices are all there are, and the box searches them itself */
  search?: ChoiceSearch<T> | undefined
}

/** How many choices are drawn at once; the search finds the others. */
const DRAWN = 100

/** A choice from many: a button with the chosen one, which opens a list with a search. */
export function ChoiceBox<T extends string>({
  value,
  choices,
  onChange,
  disabled,
  className,
  search,
  ...rest
}: Props<T>) {
  const chosen = search?.chosen ?? choices.find((choice) => choice.value === value)
  return (
    <Combobox.Root
      items={choices}
      value={chosen ?? null}
      onValueChange={(next: Choice<T> | null) => {
        if (next !== null) onChange(next.value)
      }}
      isItemEqualToValue={(one: Choice<T>, other: Choice<T>) => one.value === other.value}
      disabled={disabled}
      autoHighlight
      limit={DRAWN}
      {...(search !== undefined && { filter: null, inputValue: search.text, onInputValueChange: search.onText })}
    >
      <Combobox.Trigger {...rest} value={value} className={`${className} choice-box`}>
        <span>{chosen?.label ?? value}</span>
        <Icon name="down" />
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner className="popup-place" sideOffset={4} align="start">
          <Combobox.Popup className="popup choice-popup" aria-label={rest['aria-label'] ?? t('Choices')}>
            <Combobox.Input className="search" placeholder={t('Search…')} aria-label={t('Search the choices')} />
            <Combobox.Empty className="mute nothing">
              {search?.pending === true ? t('Searching…') : t('No matches.')}
            </Combobox.Empty>
            <Combobox.List className="options">
              {(choice: Choice<T>) => (
                <Combobox.Item key={choice.value} value={choice} data-value={choice.value}>
                  <span>{choice.label}</span>
                  <Combobox.ItemIndicator render={<Icon name="check" />} />
                </Combobox.Item>
              )}
            </Combobox.List>
            {search === undefined && choices.length > DRAWN && (
              <p className="mute small more">
                {t('Only the first {drawn} that match are listed. Search to find others.', { drawn: DRAWN })}
              </p>
            )}
            {search !== undefined && search.matching > DRAWN && (
              <p className="mute small more">
                {t('The first {drawn} of {matching} are listed. Search to find others.', {
                  drawn: DRAWN,
                  matching: count(search.matching),
                })}
              </p>
            )}
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}
