import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { explainScan } from '../../api/explain'
import { StreamPage } from '../../components/results/StreamPage'
import { useDefaultNamespace } from '../../components/namespaces/use-default-namespace'
import { useJob } from '../../components/jobs/use-job'
import { useStatusPart } from '../../components/use-status'
import { useUnsaid } from '../../components/fields/use-unsaid'
import { useRecordStream } from '../../records/use-record-stream'
import { inPlace } from '../../search'
import { emptyScan, scanBody, scanJobBody, scanProblems } from './scan-form'
import { ScanCostCard } from './ScanCostCard'
import { ScanFields } from './ScanFields'
import { ScanPlanCard } from './ScanPlanCard'
import { SpeedUpCard } from './SpeedUpCard'
import { SpeedUpChart } from './SpeedUpChart'
import { useScanPlan } from './use-scan-plan'
import { useSpeedUp } from './use-speed-up'

/** Scans a set with a chosen number of threads: first the plan, then the rows, then the cost. */
export function ScansPage() {
  const search = useSearch({ from: '/scans' })
  const navigate = useNavigate({ from: '/scans' })
  const ns = useDefaultNamespace(search.ns)
  const cpus = useStatusPart(({ cpus }) => cpus) ?? 1
  const [form, setForm] = useState(emptyScan)
  const [unsaid, report] = useUnsaid()
  const { state, start, stop } = useRecordStream()
  const speedUp = useSpeedUp()
  const job = useJob(state.jobId)
  // The plan of the last run, because the form may have changed since.
  const ran = useMutation({
    mutationFn: ({ place, asked }: { place: string; asked: string }) => explainScan(place, asked),
  })
  const { set } = search
  const body = scanBody(set, form, cpus)
  const valid = Object.keys(scanProblems(form)).length === 0 && !unsaid
  const planned = useScanPlan(ns ?? '', body, valid)
  const path = `/api/v1/namespaces/${encodeURIComponent(ns ?? '')}/scan`
  const run = (place: string): void => {
    ran.mutate({ place, asked: body })
    start(place, path, body)
  }
  return (
    <StreamPage
      title="Scans"
      ns={ns}
      toDo="load data and scan it"
      form={{
        title: 'Scan',
        fields: (place) => (
          <ScanFields
            ns={place}
            set={set}
            form={form}
            cpus={cpus}
            valid={valid}
            running={state.phase === 'running'}
            refused={planned.refused}
            onPlace={(next) => void navigate({ search: next, ...inPlace })}
            onForm={(part) => setForm({ ...form, ...part })}
            onUnsaid={report}
            onRun={() => run(place)}
            onStop={stop}
          />
        ),
      }}
      plan={() => (
        <div className="side-by-side">
          <ScanPlanCard {...planned} />
          {ran.data !== undefined && job !== undefined && <ScanCostCard plan={ran.data} job={job} />}
        </div>
      )}
      more={
        <>
          <SpeedUpCard
            state={speedUp.state}
            valid={valid && ns !== undefined}
            cpus={cpus}
            onStart={() => void speedUp.start((threads) => scanJobBody(ns ?? '', set, form, threads))}
            onStop={speedUp.stop}
          />
          <SpeedUpChart measured={speedUp.state.measured} />
        </>
      }
      stream={{ state, stop }}
      idle="Choose a set and a number of threads, check the plan, and run the scan. You can change the threads while it runs."
      call={{ path, body }}
    />
  )
}
