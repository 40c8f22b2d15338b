import { Markup } from './Markup'
import { Select, TextField } from '../../ui/inputs'
import { Field } from '../../ui/Field'
import { type Values, valueName } from './asked'
import type { Parameter } from './operations'
import { t } from '../../language/text'

interface Props {
  parameters: readonly Parameter[]
  values: Values
  onChange: (values: Values) => void
}

/** One field for each value that a call takes. What is empty is not sent. */
export function ParameterFields({ parameters, values, onChange }: Props) {
  return (
    <>
      {parameters.map((parameter) => {
        const name = valueName(parameter)
        const value = values[name] ?? ''
        const change = (text: string): void => onChange({ ...values, [name]: text })
        const label = (
          <>
            <code>{parameter.name}</code>{' '}
            <span className="mute">
              <span lang="en">{parameter.in}</span>
              {parameter.required && t(', required')}
            </span>
          </>
        )
        const hint = <Markup text={parameter.description} />
        const choices = choicesOf(parameter)
        return choices === undefined ? (
          <TextField
            key={name}
            label={label}
            hint={hint}
            value={value}
            onChange={change}
            mono
            placeholder={parameter.example === undefined ? '' : t('such as {example}', { example: parameter.example })}
          />
        ) : (
          <Field key={name} label={label} hint={hint}>
            {(control) => (
              <Select
                {...control}
                value={value}
                onChange={change}
                choices={[
                  { value: '', label: t('not sent') },
                  ...choices.map((choice) => ({ value: choice, label: choice })),
                ]}
              />
            )}
          </Field>
        )
      })}
    </>
  )
}

function choicesOf({ schema }: Parameter): string[] | undefined {
  if (schema['type'] === 'boolean') return ['true', 'false']
  const choices = schema['enum']
  return Array.isArray(choices) ? choices.map(String) : undefined
}
