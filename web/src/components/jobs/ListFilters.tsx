import { SmallSelect, wordChoices } from '../../ui/inputs'
import { endStates, type FilterSearch, FREE, spans } from './list-filter'
import { TimeInput } from './TimeInput'
import { t } from '../../language/text'
import { stateWords } from '../state-words'

interface Props {
  value: FilterSearch
  onChange: (next: FilterSearch) => void
}

/** State and time of the jobs or runs in a list. */
export function ListFilters({ value, onChange }: Props) {
  const { state, since, from, to } = value
  const chosen = (next: string): string | undefined => (next === '' ? undefined : next)
  return (
    <>
      <SmallSelect
        label={t('State')}
        value={state ?? ''}
        choices={[{ value: '', label: t('all states') }, ...wordChoices<string>(endStates, stateWords)]}
        onChange={(next) => onChange({ ...value, state: chosen(next) })}
      />
      <SmallSelect
        label={t('Time')}
        value={since ?? ''}
        choices={[
          { value: '', label: t('any time') },
          ...Object.entries(spans).map(([span, { label }]) => ({ value: span, label })),
          { value: FREE, label: t('from … to …') },
        ]}
        onChange={(next) => onChange({ state, since: chosen(next) })}
      />
      {since === FREE && (
        <span className="time-span">
          <TimeInput label={t('From')} value={from} onChange={(next) => onChange({ ...value, from: next })} />
          <TimeInput label={t('To')} value={to} onChange={(next) => onChange({ ...value, to: next })} />
        </span>
      )}
    </>
  )
}
