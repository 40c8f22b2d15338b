import { useQuery } from '@tanstack/react-query'
import { namespacesQuery, setsQuery } from '../api/queries'
import { count } from '../format'
import { SelectField, type Choice } from '../ui/inputs'

interface NamespaceProps {
  value: string
  onChange: (ns: string) => void
}

/** Which namespace; chooses by name and says how big each is. */
export function NamespacePicker({ value, onChange }: NamespaceProps) {
  const { data } = useQuery(namespacesQuery())
  const choices = (data?.items ?? []).map(({ name, records }) => ({
    value: name,
    label: `${name} (${count(records)})`,
  }))
  return (
    <SelectField label="Namespace" value={value} choices={withCurrent(choices, value, 'choose…')} onChange={onChange} />
  )
}

interface SetProps {
  ns: string
  value: string
  onChange: (set: string) => void
  /** offers the whole namespace too */
  all?: boolean
  label?: string
}

/** Which set of a namespace. */
export function SetPicker({ ns, value, onChange, all = false, label = 'Set' }: SetProps) {
  const { data } = useQuery(setsQuery(ns))
  const choices = (data?.items ?? [])
    .filter(({ name }) => name !== '')
    .map(({ name, records }) => ({ value: name, label: `${name} (${count(records)})` }))
  return (
    <SelectField
      label={label}
      value={value}
      choices={withCurrent(choices, value, all ? 'all sets' : 'choose…')}
      disabled={ns === ''}
      onChange={onChange}
    />
  )
}

function withCurrent(choices: Choice<string>[], value: string, none: string): Choice<string>[] {
  const known = value === '' || choices.some((choice) => choice.value === value)
  return [{ value: '', label: none }, ...choices, ...(known ? [] : [{ value, label: value }])]
}
