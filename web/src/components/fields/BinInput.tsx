import { useId } from 'react'
import { Field } from '../../ui/Field'
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
  const list = useId()
  const names = useBinNames(ns, set)
  return (
    <Field label={label}>
      {(control) => (
        <>
          <input
            {...control}
            className="input mono"
            list={list}
            value={value}
            autoComplete="off"
            spellCheck={false}
            placeholder={names[0] ?? t('payload')}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={list}>
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
