import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { explainScan } from '../../api/explain'
import { useMay } from '../../api/use-may'
import { StreamPage } from '../../components/results/StreamPage'
import { useDefaultNamespace } from '../../components/namespaces/use-default-namespace'
import { useStatusPart } from '../../components/use-status'
import { useUnsaid } from '../../components/fields/use-unsaid'
import { phaseOf, useRecordStream, useStreamPart } from '../../records/use-record-stream'
import { inPlace } from '../../search'
import { emptyScan, scanBody, scanJobBody, scanProblems } from './scan-form'
import { ScanCost } from './ScanCost'
import { ScanFields } from './ScanFields'
import { ScanPlanCard } from './ScanPlanCard'
import { SpeedUpCards } from './SpeedUpCards'
import { useScanPlan } from './use-scan-plan'
import { t } from '../../language/text'

/** Scans a set with a chosen number of threads: first the plan, then the rows, then the cost. */
export function ScansPage() {
  const search = useSearch({ from: '/scans' })
  const navigate = useNavigate({ from: '/scans' })
  const ns = useDefaultNamespace(search.ns)
  const cpus = useStatusPart(({ cpus }) => cpus) ?? 1
  const may = useMay()
  const [form, setForm] = useState(emptyScan)
  const [unsaid, report] = useUnsaid()
  const stream = useRecordStream()
  const running = useStreamPart(stream, phaseOf) === 'running'
  // The plan of the last run, because the form may have changed since.
  const ran = useMutation({
    mutationFn: ({ place, asked }: { place: string; asked: string }) => explainScan(place, asked),
  })
  const { set } = search
  const place = { namespace: ns, set }
  const body = scanBody(set, form, cpus)
  const valid = Object.keys(scanProblems(form)).length === 0 && !unsaid
  const planned = useScanPlan(ns ?? '', body, valid)
  const path = `/api/v1/namespaces/${encodeURIComponent(ns ?? '')}/scan`
  const run = (place: string): void => {
    ran.mutate({ place, asked: body })
    stream.start(place, path, body)
  }
  return (
    <StreamPage
      title={t('Scans')}
      ns={ns}
      toDo={t('load data and scan it')}
      form={{
        title: t('Scan'),
        fields: (place) => (
          <ScanFields
            ns={place}
            set={set}
            form={form}
            cpus={cpus}
            valid={valid}
            running={running}
            refused={planned.refused}
            onPlace={(next) => void navigate({ search: next, ...inPlace })}
            onForm={(part) => setForm({ ...form, ...part })}
            onUnsaid={report}
            onRun={() => run(place)}
            onStop={stream.stop}
          />
        ),
      }}
      plan={() => (
        <div className="side-by-side">
          <ScanPlanCard {...planned} />
          {ran.data !== undefined && <ScanCost plan={ran.data} stream={stream} />}
        </div>
      )}
      more={
        may('startJob', place) && (
          <SpeedUpCards
            valid={valid && ns !== undefined}
            cpus={cpus}
            bodyOf={(threads) => scanJobBody(ns ?? '', set, form, threads)}
          />
        )
      }
      stream={stream}
      idle={
        may('updateJob', place)
          ? t(
              'Choose a set and a number of threads, check the plan, and run the scan. You can change the threads while it runs.',
            )
          : t('Choose a set and a number of threads, check the plan, and run the scan.')
      }
      call={{ path, body }}
    />
  )
}
