import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { countHistograms } from '../../../../api/histograms'
import { setQuery } from '../../../../api/sets'
import type { Namespace } from '../../../../api/types'
import { ChartCard } from '../../../../charts/card/ChartCard'
import { useSetChoices } from '../../../../components/fields/use-set-choices'
import { count, duration, plural } from '../../../../format'
import { Button } from '../../../../ui/Button'
import { Card } from '../../../../ui/Card'
import { Problem } from '../../../../ui/Problem'
import { SmallSelect } from '../../../../ui/inputs'
import { histogramsRequest, lifeSpec, sizeSpec } from './histograms'

/** No set has this name, because it is longer than a name may be. */
const ALL = '*'.repeat(64)

/** How large records are, and when they expire. It needs a scan, so it is made on demand. */
export function HistogramCards({ namespace }: { namespace: Namespace }) {
  const { name: ns } = namespace
  const [set, setSet] = useState(ALL)
  const { choices, search } = useSetChoices({
    ns,
    value: set,
    others: [{ value: ALL, label: 'all sets' }],
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
        title="Sizes and times to live"
        aside="counted by a scan that reads no bodies"
        end={
          <>
            <SmallSelect label="Set to count" value={set} choices={choices} search={search} onChange={choose} />
            <Button small busy={counted.isPending} onClick={() => counted.mutate()}>
              Count
            </Button>
          </>
        }
      >
        <Problem error={counted.error} />
        <p className="mute" role="status">
          {data === undefined
            ? `Press Count to see the sizes of ${plural(records, 'record')}, and when they expire.`
            : `${plural(data.scanned, 'record')} read in ${duration(data.elapsedMs / 1000)}${request.sample === undefined ? '' : `, a share of ${count(records)}`}.`}
        </p>
      </Card>
      {specs !== undefined && (
        <div className="grid-2">
          <ChartCard title="Sizes of records" aside="as stored, header included" spec={specs.size} />
          <ChartCard title="Times to live" aside="until records expire" spec={specs.life} />
        </div>
      )}
    </>
  )
}
