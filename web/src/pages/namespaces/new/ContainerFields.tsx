import { useId } from 'react'
import { ErrorText } from '../../../ui/ErrorText'
import type { NamespaceForm, Problems } from './fields'
import { t } from '../../../language/text'

const containers = [
  { value: 'segmented', words: t('One map per segment, each with its own lock, indexes and counters.') },
  {
    value: 'flat',
    words: t(
      'One map for all segments behind one lock. Use it only to measure what segments are worth. Sets cannot have a distribution bin.',
    ),
  },
] as const

interface Props {
  form: NamespaceForm
  set: (part: Partial<NamespaceForm>) => void
  problems: Problems
}

/** One map for each segment, or one for all. */
export function ContainerFields({ form, set, problems }: Props) {
  const id = useId()
  return (
    <fieldset className="choices" aria-describedby={problems.container === undefined ? undefined : id}>
      <legend>{t('Container')}</legend>
      {containers.map(({ value, words }) => (
        <label key={value} className="choice">
          <input
            type="radio"
            name="container"
            checked={form.container === value}
            onChange={() => set({ container: value })}
          />
          <span>
            <strong>{value}</strong>
            <span className="mute">{words}</span>
          </span>
        </label>
      ))}
      {problems.container !== undefined && <ErrorText id={id}>{problems.container}</ErrorText>}
    </fieldset>
  )
}
