import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { capacityPlansQuery } from '../../api/queries'
import { ChartCard } from '../../charts/card/ChartCard'
import { ChartGroup } from '../../charts/card/ChartGroup'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { NumberField } from '../../ui/NumberField'
import { bytesSpec, costSpec, curveOf, curveQueries, priceOf, type Prices } from './capacity-curve'
import type { CapacityForm } from './capacity-form'
import { t } from '../../language/text'

const HEIGHT = 240
const firstPrices: Prices = { dram: 4, flash: 0.1 }

/** Both engines over the number of records: what they need, and what that costs. The form is valid. */
export function CapacityCharts({ form }: { form: CapacityForm }) {
  const [prices, setPrices] = useState(firstPrices)
  const { data, error } = useQuery(capacityPlansQuery(curveQueries(form)))
  const curve = useMemo(() => curveOf(data ?? []), [data])
  const records = Number(form.records)
  const need = useMemo(() => bytesSpec(curve, records), [curve, records])
  const cost = useMemo(() => costSpec(curve, records, prices), [curve, records, prices])
  const loading = data === undefined && error === null
  return (
    <>
      <Problem error={error} />
      <ChartGroup>
        <div className="grid-2">
          <ChartCard
            title={t('Memory and flash')}
            aside={t('of both engines, over records')}
            spec={need}
            height={HEIGHT}
            loading={loading}
          />
          <ChartCard
            title={t('Cost')}
            aside={t('at the prices below, over records')}
            spec={cost}
            height={HEIGHT}
            loading={loading}
          />
        </div>
      </ChartGroup>
      <Card title={t('Prices')} aside={t('in any currency; only the chart above uses them')}>
        <div className="grid-2 pair">
          <PriceField
            label={t('A GiB of DRAM')}
            first={firstPrices.dram}
            onPrice={(dram) => setPrices({ ...prices, dram })}
          />
          <PriceField
            label={t('A GiB of flash')}
            first={firstPrices.flash}
            onPrice={(flash) => setPrices({ ...prices, flash })}
          />
        </div>
      </Card>
    </>
  )
}

interface PriceProps {
  label: string
  first: number
  onPrice: (price: number) => void
}

function PriceField({ label, first, onPrice }: PriceProps) {
  const [text, setText] = useState(String(first))
  const change = (next: string): void => {
    setText(next)
    const price = priceOf(next)
    if (price !== undefined) onPrice(price)
  }
  return (
    <NumberField
      label={label}
      decimal
      value={text}
      onChange={change}
      error={priceOf(text) === undefined ? t('A number, such as 0.1') : undefined}
    />
  )
}
