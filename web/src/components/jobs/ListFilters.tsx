import { plainChoices, SmallSelect } from '../../ui/inputs'
import { endStates, type FilterSearch, spans } from './list-filter'

interface Props {
  value: FilterSearch
  onChange: (next: FilterSearch) => void
}

/** State and time of the jobs or runs in a list. */
export function ListFilters({ value: { state, since }, onChange }: Props) {
  const chosen = (next: string): string | undefined => (next === '' ? undefined : next)
  return (
    <>
      <SmallSelect
        label="State"
        value={state ?? ''}
        choices={[{ value: '', label: 'all states' }, ...plainChoices<string>(endStates)]}
        onChange={(next) => onChange({ state: chosen(next), since })}
      />
      <SmallSelect
        label="Time"
        value={since ?? ''}
        choices={[
          { value: '', label: 'any time' },
          ...Object.entries(spans).map(([value, { label }]) => ({ value, label })),
        ]}
        onChange={(next) => onChange({ state, since: chosen(next) })}
      />
    </>
  )
}
