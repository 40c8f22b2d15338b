import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { capacityQuery } from '../../../api/queries'
import { useSettled } from '../../../components/use-settled'
import { JsonField } from '../../../editor/JsonField'
import { bytes, count } from '../../../format'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { NumberField } from '../../../ui/NumberField'
import { Problem } from '../../../ui/Problem'
import type { NamespaceForm } from './fields'
import { binsOf, KEY_BYTES, needsOf, sampleQuery } from './sample'
import { t } from '../../../language/text'

interface Props {
  form: NamespaceForm
  set: (part: Partial<NamespaceForm>) => void
}

/** Memory and disk for records like one that is pasted, by the engine's own constants. */
export function SampleEstimate({ form, set }: Props) {
  const [sample, setSample] = useState('')
  const [number, setNumber] = useState('1000000')
  const read = useSettled(sample).trim() === '' ? undefined : binsOf(sample)
  const records = /^\d{1,12}$/.test(number) ? Number(number) : 0
  const problem = read !== undefined && 'problem' in read ? read.problem : undefined
  const bins = read !== undefined && 'bins' in read ? read.bins : undefined
  const valid = bins !== undefined && records > 0
  const { data: plan, error } = useQuery(
    capacityQuery(JSON.stringify(sampleQuery(form, bins ?? [], Math.max(1, records))), valid),
  )
  const needs = valid && plan !== undefined ? needsOf(form, plan, records) : undefined
  return (
    <Card title={t('Estimate')} aside={t('from a sample record')}>
      <div className="stack">
        <JsonField
          label={t('Sample record, JSON')}
          rows={4}
          value={sample}
          onChange={setSample}
          error={problem}
          guide={{ bins: [] }}
          placeholder={t(`'{'"name": "Ada", "visits": 42'}'`)}
        />
        <NumberField
          label={t('Number of records')}
          value={number}
          onChange={setNumber}
          error={records > 0 ? undefined : t('A whole number from 1 to 999,999,999,999')}
        />
        {valid && <Problem error={error} />}
        {needs !== undefined && plan !== undefined && (
          <>
            <dl className="facts">
              <dt>{t('one record')}</dt>
              <dd>
                {t('{stored} B, with a key of {keybytes}', { stored: count(plan.record.stored), keybytes: KEY_BYTES })}
              </dd>
              {needs.memory !== undefined && (
                <>
                  <dt>{t('memory')}</dt>
                  <dd>{bytes(needs.memory)}</dd>
                </>
              )}
              {needs.disk !== undefined && (
                <>
                  <dt>{t('disk')}</dt>
                  <dd>{bytes(needs.disk)}</dd>
                </>
              )}
              {needs.recordsPerPage !== undefined && (
                <>
                  <dt>{t('records in a page')}</dt>
                  <dd>{needs.recordsPerPage < 3 ? t('none: each has its own pages') : count(needs.recordsPerPage)}</dd>
                </>
              )}
            </dl>
            {Object.keys(needs.limit).length > 0 && (
              <div className="row">
                <Button small onClick={() => set(needs.limit)}>
                  {form.engine === 'memory' ? t('Set as maximum memory') : t('Set as capacity')}
                </Button>
              </div>
            )}
          </>
        )}
      </div>
    </Card>
  )
}
