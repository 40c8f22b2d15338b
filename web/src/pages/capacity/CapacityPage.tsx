import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { capacityQuery } from '../../api/queries'
import { CurlLine } from '../../components/CurlLine'
import { useSettled } from '../../components/use-settled'
import { Page } from '../../shell/Page'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { BinRows } from './BinRows'
import { type CapacityForm, firstForm, problemsOf, queryOf } from './capacity-form'
import { CapacityCharts } from './CapacityCharts'
import { CapacityResult } from './CapacityResult'
import { PlaceFields, ShapeFields, TrafficFields } from './CapacityFields'
import { t } from '../../language/text'

/** Estimates memory, flash and traffic for records of a given shape, from the engine's own constants. */
export function CapacityPage() {
  const [form, setForm] = useState(firstForm)
  const set = (part: Partial<CapacityForm>): void => setForm({ ...form, ...part })
  const problems = problemsOf(form)
  const valid = Object.keys(problems).length === 0
  const text = JSON.stringify(queryOf(form))
  const settled = useSettled(text)
  const { data, error } = useQuery(capacityQuery(settled, valid && settled === text))
  // The charts follow the plan, so they ask after it.
  const [planned, setPlanned] = useState(form)
  if (valid && settled === text && planned !== form) setPlanned(form)
  return (
    <Page title={t('Capacity')}>
      <form className="grid-2 top" noValidate onSubmit={(event) => event.preventDefault()}>
        <div className="stack">
          <PlaceFields form={form} set={set} problems={problems} />
          <ShapeFields form={form} set={set} problems={problems} />
          <Card title={t('Bins of a record')}>
            <BinRows form={form} set={set} problems={problems} />
          </Card>
          {form.engine === 'device' && <TrafficFields form={form} set={set} problems={problems} />}
        </div>
        <div className="stack sticky">
          {!valid && (
            <Card title={t('Plan')}>
              <p className="mute">{t('Correct the marked fields.')}</p>
            </Card>
          )}
          {valid && <Problem error={error} />}
          {valid && data === undefined && error === null && (
            <Card title={t('Plan')}>
              <Skeleton lines={6} />
            </Card>
          )}
          {valid && data !== undefined && error === null && <CapacityResult plan={data} />}
          <Card title={t('The exact call')}>
            <CurlLine method="POST" path="/api/v1/capacity" body={text} />
          </Card>
        </div>
      </form>
      {valid && data !== undefined && error === null && <CapacityCharts form={planned} />}
    </Page>
  )
}
