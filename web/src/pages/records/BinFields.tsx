import { binTypes, type BinField, type BinType, nameProblem, valueProblem } from '../../records/bins'
import { Button } from '../../ui/Button'
import type { Described } from '../../ui/described-by'
import { FieldRow } from '../../ui/FieldRow'
import { Icon } from '../../ui/Icon'

/** The bins of a record as rows: name, type, value. */
export function BinFields({ fields, onChange }: { fields: BinField[]; onChange: (fields: BinField[]) => void }) {
  const set = (index: number, part: Partial<BinField>): void =>
    onChange(fields.map((field, at) => (at === index ? { ...field, ...part } : field)))
  return (
    <div className="stack-small">
      {fields.map((field, index) => {
        // An empty row is no bin.
        const empty = field.name + field.text === ''
        const errors = empty ? {} : { name: nameProblem(field, fields), value: valueProblem(field) }
        const name = field.name === '' ? `bin ${index + 1}` : field.name
        return (
          <FieldRow<'name' | 'value'> key={index} errors={errors}>
            {(control) => (
              <div className="bin-row">
                <input
                  className="input mono"
                  aria-label={`Name of ${name}`}
                  {...control('name')}
                  value={field.name}
                  onChange={(event) => set(index, { name: event.target.value })}
                />
                <select
                  className="select"
                  aria-label={`Type of ${name}`}
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
                    described={control('value')}
                    onText={(text) => set(index, { text })}
                  />
                </div>
                <Button
                  look="quiet"
                  aria-label={`Remove ${name}`}
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
          <Icon name="plus" />
          Add a bin
        </Button>
      </div>
    </div>
  )
}

function retyped(field: BinField, type: BinType): Partial<BinField> {
  if (type === 'boolean') return { type, text: field.text === 'true' ? 'true' : 'false' }
  return { type, text: type === 'null' ? '' : field.text }
}

interface ValueProps {
  field: BinField
  name: string
  described: Described
  onText: (text: string) => void
}

function Value({ field, name, described, onText }: ValueProps) {
  const label = `Value of ${name}`
  if (field.type === 'null') return <input className="input mono" aria-label={label} value="null" disabled />
  if (field.type === 'boolean') {
    return (
      <select className="select" aria-label={label} value={field.text} onChange={(event) => onText(event.target.value)}>
        <option>true</option>
        <option>false</option>
      </select>
    )
  }
  if (field.type === 'json' || (field.type === 'string' && (field.text.length > 60 || field.text.includes('\n')))) {
    return (
      <textarea
        className="area"
        aria-label={label}
        {...described}
        rows={Math.min(12, Math.max(3, field.text.split('\n').length))}
        spellCheck={false}
        value={field.text}
        onChange={(event) => onText(event.target.value)}
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
