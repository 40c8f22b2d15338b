import { SetPicker } from '../../components/fields/pickers'
import { keyProblem, type RecordKey } from '../../records/key'
import { SelectField, TextField, wordChoices } from '../../ui/inputs'
import { t } from '../../language/text'
import { typeWords } from '../../components/api-words'

interface Place {
  /** empty for a record without a set; undefined until one is chosen */
  set: string | undefined
  key: RecordKey
}

const types = ['string', 'integer', 'bytes'] as const

/** Set (existing or new) and key of a new record. */
export function NewKeyFields({ ns, place, onChange }: { ns: string; place: Place; onChange: (place: Place) => void }) {
  return (
    <div className="stack">
      <div className="grid-2 pair">
        <SetPicker ns={ns} value={place.set} withoutSet="always" onChange={(set) => onChange({ ...place, set })} />
        <TextField
          label={t('or a new set')}
          mono
          value={place.set ?? ''}
          placeholder={t('profiles')}
          onChange={(set) => onChange({ ...place, set: set === '' ? undefined : set })}
        />
        <TextField
          label={t('Key')}
          mono
          value={place.key.text}
          autoFocus
          onChange={(text) => onChange({ ...place, key: { ...place.key, text } })}
          hint={place.key.type === 'bytes' ? t('URL-safe base64') : undefined}
          error={keyProblem(place.key)}
        />
        <SelectField
          label={t('Key type')}
          value={place.key.type === 'digest' ? 'string' : place.key.type}
          choices={wordChoices(types, typeWords)}
          onChange={(type) => onChange({ ...place, key: { ...place.key, type } })}
        />
      </div>
    </div>
  )
}
