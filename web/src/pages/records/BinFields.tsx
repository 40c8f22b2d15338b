import { binTypes, type BinField, type BinType, nameProblem, valueProblem } from '../../records/bins'
import { JsonEditor } from '../../editor/JsonEditor'
import { faultOf } from '../../records/json-scan'
import { Button } from '../../ui/Button'
import type { Described } from '../../ui/described-by'
import { FieldRow } from '../../ui/FieldRow'
import { Icon } from '../../ui/Icon'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

interface Props {
  fields: readonly BinField[]
  readOnly: boolean
  onChange: (fields: BinField[]) => void
}

/** The bins of a record as rows: name, type, value. */
export function BinFields({ fields, readOnly, onChange }: Props) {
  const set = (index: number, part: Partial<BinField>): void =>
    onChange(fields.map((field, at) => (at === index ? { ...field, ...part } : field)))
  return (
    <div className="stack-small">
      {fields.map((field, index) => {
        // An empty row is no bin.
        const empty = field.name + field.text === ''
        const errors = empty ? {} : { name: nameProblem(field, fields), value: valueProblem(field) }
        const name = field.name === '' ? t('bin {index}', { index: index + 1 }) : field.name
        return (
          <FieldRow<'name' | 'value'> key={index} errors={errors}>
            {(control) => (
              <div className="bin-row">
                <input
                  className="input mono"
                  aria-label={t('Name of {name}', { name })}
                  {...control('name')}
                  value={field.name}
                  onChange={(event) => set(index, { name: event.target.value })}
                />
                <select
                  className="select"
                  aria-label={t('Type of {name}', { name })}
                  value={field.type}
                  onChange={(event) => set(index, retyped(field, event.target.value as BinType))}
                >
                  {binTypes.map((type) => (
                    <option key={type}>{type}</option>
                  ))}
                </select>
                <div className="value">
                  <Value
                    field={field}
                    name={name}
                    readOnly={readOnly}
                    described={control('value')}
                    onText={(text) => set(index, { text })}
                  />
                </div>
                <Button
                  look="quiet"
                  aria-label={t('Remove {name}', { name })}
                  onClick={() => onChange(fields.filter((_, at) => at !== index))}
                >
                  <Icon name="close" />
                </Button>
              </div>
            )}
          </FieldRow>
        )
      })}
      <div>
        <Button small onClick={() => onChange([...fields, { name: '', type: 'string', text: '' }])}>
          <Say text="{icon}Add a bin" values={{ icon: <Icon name="plus" /> }} />
        </Button>
      </div>
    </div>
  )
}

function retyped(field: BinField, type: BinType): Partial<BinField> {
  if (type === 'boolean') return { type, text: field.text === 'true' ? t('true') : t('false') }
  return { type, text: type === 'null' ? '' : field.text }
}

/** Longest JSON whose fault is marked while it is typed, characters. */
const MARK_MOST = 50_000
/** Longer strings, and those of several lines, have an editor of their own. */
const LINE_MOST = 60

interface ValueProps {
  field: BinField
  name: string
  readOnly: boolean
  described: Described
  onText: (text: string) => void
}

function Value({ field, name, readOnly, described, onText }: ValueProps) {
  const label = t('Value of {name}', { name })
  if (field.type === 'null') return <input className="input mono" aria-label={label} value="null" disabled />
  if (field.type === 'boolean') {
    return (
      <select className="select" aria-label={label} value={field.text} onChange={(event) => onText(event.target.value)}>
        <option>{t('true')}</option>
        <option>{t('false')}</option>
      </select>
    )
  }
  const json = field.type === 'json'
  if (json || (field.type === 'string' && (field.text.length > LINE_MOST || field.text.includes('\n')))) {
    return (
      <JsonEditor
        aria-label={label}
        {...described}
        rows={3}
        kind={json ? 'json' : 'text'}
        fault={json && field.text.length <= MARK_MOST ? faultOf(field.text) : undefined}
        readOnly={readOnly}
        value={field.text}
        onChange={onText}
      />
    )
  }
  return (
    <input
      className="input mono"
      aria-label={label}
      {...described}
      spellCheck={false}
      value={field.text}
      onChange={(event) => onText(event.target.value)}
    />
  )
}
