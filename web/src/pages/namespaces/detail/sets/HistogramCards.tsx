import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { countHistograms } from '../../../../api/histograms'
import { setQuery } from '../../../../api/sets'
import type { Namespace } from '../../../../api/types'
import { ChartCard } from '../../../../charts/card/ChartCard'
import { useSetChoices } from '../../../../components/fields/use-set-choices'
import { count, duration } from '../../../../format'
import { Button } from '../../../../ui/Button'
import { Card } from '../../../../ui/Card'
import { Problem } from '../../../../ui/Problem'
import { SmallSelect } from '../../../../ui/inputs'
import { histogramsRequest, lifeSpec, sizeSpec } from './histograms'
import { t } from '../../../../language/text'

/** No set has this name, because it is longer than a name may be. */
const ALL = '*'.repeat(64)

/** How large records are, and when they expire. It needs a scan, so it is made on demand. */
export function HistogramCards({ namespace }: { namespace: Namespace }) {
  const { name: ns } = namespace
  const [set, setSet] = useState(ALL)
  const { choices, search } = useSetChoices({
    ns,
    value: set,
    others: [{ value: ALL, label: t('all sets') }],
    withoutSet: 'present',
  })
  const one = useQuery(setQuery(ns, set === ALL ? undefined : set)).data
  const records = set === ALL ? namespace.records : (one?.records ?? 0)
  const request = histogramsRequest(set === ALL ? undefined : set, records)
  const counted = useMutation({ mutationFn: () => countHistograms(ns, request) })
  const { data } = counted
  const specs = useMemo(() => data && { size: sizeSpec(data.size), life: lifeSpec(data.ttl) }, [data])
  const choose = (next: string): void => {
    setSet(next)
    counted.reset()
  }
  return (
    <>
      <Card
        title={t('Sizes and times to live')}
        aside={t('counted by a scan that reads no bodies')}
        end={
          <>
            <SmallSelect label={t('Set to count')} value={set} choices={choices} search={search} onChange={choose} />
            <Button small busy={counted.isPending} onClick={() => counted.mutate()}>
              {t('Count')}
            </Button>
          </>
        }
      >
        <Problem error={counted.error} />
        <p className="mute" role="status">
          {data === undefined
            ? t(
                'Press Count to see the sizes of {records, plural, one {# record} other {# records}}, and when they expire.',
                { records },
              )
            : t(
                '{scanned, plural, one {# record} other {# records}} read in {elapsedMs}{which, select, true {} other {, a share of {records}}}.',
                {
                  scanned: data.scanned,
                  elapsedMs: duration(data.elapsedMs / 1000),
                  which: String(request.sample === undefined),
                  records: count(records),
                },
              )}
        </p>
      </Card>
      {specs !== undefined && (
        <div className="grid-2">
          <ChartCard title={t('Sizes of records')} aside={t('as stored, header included')} spec={specs.size} />
          <ChartCard title={t('Times to live')} aside={t('until records expire')} spec={specs.life} />
        </div>
      )}
    </>
  )
}
