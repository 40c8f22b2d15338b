import { useQuery } from '@tanstack/react-query'
import { namespacesQuery, setsQuery } from '../../api/queries'
import { count, plural } from '../../format'
import { SelectField } from '../../ui/inputs'
import { recordsText } from '../namespaces/records-text'
import { setName } from './set-name'

interface NamespaceProps {
  value: string
  onChange: (ns: string) => void
}

/** Picks a namespace by name, with its size. */
export function NamespacePicker({ value, onChange }: NamespaceProps) {
  const { data } = useQuery(namespacesQuery())
  const whole = (data?.items ?? []).map((namespace) => ({
    value: namespace.name,
    label: `${namespace.name} (${recordsText(namespace)})`,
  }))
  const partial = (data?.partial ?? []).map(({ name, sets }) => ({ value: name, label: `${name} (${setsOf(sets)})` }))
  const choices = [...whole, ...partial]
  return (
    <SelectField
      label="Namespace"
      value={value}
      choices={[
        { value: '', label: 'choose…' },
        ...choices,
        ...(value === '' || choices.some((choice) => choice.value === value) ? [] : [{ value, label: value }]),
      ]}
      onChange={onChange}
    />
  )
}

const setsOf = (sets: readonly string[]): string => plural(sets.length, 'set')

interface SetProps {
  ns: string
  /** empty for records without a set; undefined where none is chosen */
  value: string | undefined
  onChange: (set: string | undefined) => void
  /** label for no choice */
  absent?: 'choose…' | 'all sets'
  /** whether to offer the records without a set: always, never, or if there are some */
  withoutSet?: 'always' | 'never' | 'present'
  label?: string
}

/** Value for no choice; no set can have this name. */
const ABSENT = '*'

/** Picks a set of a namespace, or its records without a set. */
export function SetPicker({
  ns,
  value,
  onChange,
  absent = 'choose…',
  withoutSet = 'present',
  label = 'Set',
}: SetProps) {
  const { data } = useQuery(setsQuery(ns))
  const sets = data?.items ?? []
  const choices = sets
    .filter(({ name }) => name !== '' || withoutSet !== 'never')
    .map(({ name, records }) => ({ value: name, label: `${setName(name)} (${count(records)})` }))
  const missing = (name: string): boolean => sets.every((set) => set.name !== name)
  if (withoutSet === 'always' && missing('')) choices.push({ value: '', label: setName('') })
  else if (value !== undefined && missing(value)) choices.push({ value, label: setName(value) })
  return (
    <SelectField
      label={label}
      value={value ?? ABSENT}
      choices={[{ value: ABSENT, label: absent }, ...choices]}
      disabled={ns === ''}
      onChange={(next) => onChange(next === ABSENT ? undefined : next)}
    />
  )
}
