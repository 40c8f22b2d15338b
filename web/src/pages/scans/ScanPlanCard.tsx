import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { explainScan } from '../../api/explain'
import { useSettled } from '../../components/use-settled'
import { count, duration } from '../../format'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { type ScanForm, scanBody, scanProblems } from './scan-form'

const methods: Record<string, string> = {
  'set-index': 'the set index',
  'set-column': 'the set column',
  all: 'every record',
  'device-sequential': 'the device, block by block',
}

/** How the engine would run this scan, before it does. */
export function ScanPlanCard({
  ns,
  set,
  form,
  cpus,
}: {
  ns: string
  set: string | undefined
  form: ScanForm
  cpus: number
}) {
  const wanted = scanBody(set, form, cpus)
  const body = useSettled(wanted)
  const valid = Object.keys(scanProblems(form)).length === 0
  const { data, error } = useQuery({
    queryKey: ['plan', 'scan', ns, body],
    queryFn: () => explainScan(ns, body),
    enabled: valid && ns !== '' && body === wanted,
    placeholderData: keepPreviousData,
  })
  return (
    <Card title="Plan" aside="what the engine would do">
      {data === undefined && error === null && <Skeleton lines={2} />}
      <Problem error={error} />
      {data !== undefined && error === null && (
        <div className="stack-small">
          <p>
            Reads <strong>{methods[data.method] ?? data.method}</strong>: about {count(data.estimatedRecords)} of{' '}
            {count(data.namespaceRecords)} records, {count(data.segments)} segments on {data.threads} thread
            {data.threads === 1 ? '' : 's'}.
          </p>
          <p className="mute">{data.reason}</p>
          {data.alternatives.length > 0 && (
            <p className="num mute" style={{ whiteSpace: 'normal' }}>
              {data.alternatives
                .map(({ method, estimatedMs }) => `${methods[method] ?? method} ≈ ${duration(estimatedMs / 1000)}`)
                .join(' · ')}
            </p>
          )}
        </div>
      )}
    </Card>
  )
}
