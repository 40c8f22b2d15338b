import { shortCount } from '../../format'
import { Card } from '../../ui/Card'
import { Segmented } from '../../ui/Segmented'
import { plainChoices, wordChoices, SelectField } from '../../ui/inputs'
import { NumberField } from '../../ui/NumberField'
import type { CapacityForm, Problems } from './capacity-form'
import { t } from '../../language/text'
import { typeWords } from '../../components/api-words'

export interface FieldsProps {
  form: CapacityForm
  set: (part: Partial<CapacityForm>) => void
  problems: Problems
}

const keyTypes = wordChoices(['integer', 'string', 'bytes'] as const, typeWords)
const segments = plainChoices(['16', '64', '256', '1024', '4096'])
const blocks = plainChoices(['16', '32', '64', '128', '256', '512', '1024', '2048', '4096', '8192'])

/** Engine, records, copies and segments. */
export function PlaceFields({ form, set, problems }: FieldsProps) {
  return (
    <Card
      title={t('Namespace')}
      end={
        <Segmented
          label={t('Engine')}
          value={form.engine}
          choices={[
            { value: 'device', label: t('device') },
            { value: 'memory', label: t('memory') },
          ]}
          onChange={(engine) => set({ engine })}
        />
      }
    >
      <div className="grid-2 pair">
        <NumberField
          label={t('Records')}
          value={form.records}
          onChange={(records) => set({ records })}
          error={problems.records}
          hint={problems.records === undefined ? shortCount(Number(form.records)) : undefined}
        />
        <NumberField
          label={t('Copies')}
          value={form.replication}
          onChange={(replication) => set({ replication })}
          error={problems.replication}
          hint={t('the replication factor')}
        />
        <SelectField
          label={t('Segments')}
          value={form.segments}
          choices={segments}
          onChange={(next) => set({ segments: next })}
        />
        <NumberField
          label={t('Sets')}
          value={form.sets}
          onChange={(sets) => set({ sets })}
          error={problems.sets}
          hint={t('0: records without a set')}
        />
        <NumberField
          label={t('Set name, bytes')}
          value={form.setNameBytes}
          onChange={(setNameBytes) => set({ setNameBytes })}
          error={problems.setNameBytes}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={form.setIndexes}
            onChange={(event) => set({ setIndexes: event.target.checked })}
          />
          <span>{t('Set indexes')}</span>
        </label>
      </div>
    </Card>
  )
}

/** The key. */
export function ShapeFields({ form, set, problems }: FieldsProps) {
  return (
    <Card title={t('Key of a record')}>
      <div className="grid-2 pair">
        <SelectField
          label={t('Key type')}
          value={form.keyType}
          choices={keyTypes}
          onChange={(keyType) => set({ keyType })}
        />
        {form.keyType !== 'integer' && (
          <NumberField
            label={t('Key length, bytes')}
            value={form.keyBytes}
            onChange={(keyBytes) => set({ keyBytes })}
            error={problems.keyBytes}
          />
        )}
      </div>
    </Card>
  )
}

/** Load on the device. */
export function TrafficFields({ form, set, problems }: FieldsProps) {
  return (
    <Card title={t('Traffic and flash')}>
      <div className="grid-2 pair">
        <NumberField
          label={t('Reads per second')}
          value={form.readsPerSecond}
          onChange={(readsPerSecond) => set({ readsPerSecond })}
          error={problems.readsPerSecond}
        />
        <NumberField
          label={t('Writes per second')}
          value={form.writesPerSecond}
          onChange={(writesPerSecond) => set({ writesPerSecond })}
          error={problems.writesPerSecond}
        />
        <NumberField
          label={t('Flash in use, percent')}
          value={form.utilisationPercent}
          onChange={(utilisationPercent) => set({ utilisationPercent })}
          error={problems.utilisationPercent}
          hint={t('share that live records may fill')}
        />
        <SelectField
          label={t('Write block, KiB')}
          value={form.writeBlockKib}
          choices={blocks}
          onChange={(writeBlockKib) => set({ writeBlockKib })}
        />
      </div>
    </Card>
  )
}
