import { plainChoices, SmallSelect } from '../../ui/inputs'
import { endStates, type FilterSearch, FREE, spans } from './list-filter'
import { TimeInput } from './TimeInput'

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
        label="State"
        value={state ?? ''}
        choices={[{ value: '', label: 'all states' }, ...plainChoices<string>(endStates)]}
        onChange={(next) => onChange({ ...value, state: chosen(next) })}
      />
      <SmallSelect
        label="Time"
        value={since ?? ''}
        choices={[
          { value: '', label: 'any time' },
          ...Object.entries(spans).map(([span, { label }]) => ({ value: span, label })),
          { value: FREE, label: 'from … to …' },
        ]}
        onChange={(next) => onChange({ state, since: chosen(next) })}
      />
      {since === FREE && (
        <span className="time-span">
          <TimeInput label="From" value={from} onChange={(next) => onChange({ ...value, from: next })} />
          <TimeInput label="To" value={to} onChange={(next) => onChange({ ...value, to: next })} />
        </span>
      )}
    </>
  )
}
