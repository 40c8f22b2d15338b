import { Field } from '../../ui/Field'
import { SuggestInput } from '../../ui/SuggestInput'
import { useBinNames } from './use-sample'
import { t } from '../../language/text'

interface Props {
  ns: string
  /** empty for records without a set; undefined gives no suggestions */
  set: string | undefined
  value: string
  onChange: (bin: string) => void
  label?: string
}

/** A bin's name, with the names seen in a sample of the set as suggestions. */
export function BinInput({ ns, set, value, onChange, label = t('Bin') }: Props) {
  const names = useBinNames(ns, set)
  return (
    <Field label={label}>
      {(control) => (
        <SuggestInput
          {...control}
          names={names}
          value={value}
          placeholder={names[0] ?? t('payload')}
          onChange={onChange}
        />
      )}
    </Field>
  )
}
