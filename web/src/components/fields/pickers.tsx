import { useQuery } from '@tanstack/react-query'
import { namespacesQuery } from '../../api/queries'
import type { RecordSet } from '../../api/types'
import { SelectField } from '../../ui/inputs'
import { recordsText } from '../namespaces/records-text'
import { useSetChoices } from './use-set-choices'
import { t } from '../../language/text'

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
      label={t('Namespace')}
      value={value}
      choices={[
        { value: '', label: t('choose…') },
        ...choices,
        ...(value === '' || choices.some((choice) => choice.value === value) ? [] : [{ value, label: value }]),
      ]}
      onChange={onChange}
    />
  )
}

const setsOf = (sets: readonly string[]): string =>
  t('{sets, plural, one {# set} other {# sets}}', { sets: sets.length })

interface SetProps {
  ns: string
  /** empty for records without a set; undefined where none is chosen */
  value: string | undefined
  /** with what is known of the set */
  onChange: (set: string | undefined, known?: RecordSet) => void
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
  label = t('Set'),
}: SetProps) {
  const { choices, search, sets } = useSetChoices({
    ns,
    value: value ?? ABSENT,
    others: [{ value: ABSENT, label: absent === 'all sets' ? t('all sets') : t('choose…') }],
    withoutSet,
  })
  return (
    <SelectField
      label={label}
      value={value ?? ABSENT}
      choices={choices}
      search={search}
      disabled={ns === ''}
      onChange={(next) =>
        next === ABSENT
          ? onChange(undefined)
          : onChange(
              next,
              sets.find(({ name }) => name === next),
            )
      }
    />
  )
}
