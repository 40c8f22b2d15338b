import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { StreamPage } from '../../components/StreamPage'
import { useDefaultNamespace } from '../../components/use-default-namespace'
import { useStatus } from '../../components/use-status'
import { useRecordStream } from '../../records/use-record-stream'
import { emptyScan, scanBody } from './scan-form'
import { ScanFields } from './ScanFields'
import { ScanPlanCard } from './ScanPlanCard'

/** Scans a set on as many threads as wanted: plan first, then rows as they come. */
export function ScansPage() {
  const search = useSearch({ from: '/scans' })
  const navigate = useNavigate({ from: '/scans' })
  const ns = useDefaultNamespace(search.ns)
  const cpus = useStatus()?.cpus ?? 1
  const [form, setForm] = useState(emptyScan)
  const { state, start, stop } = useRecordStream()
  const { set } = search
  const body = scanBody(set, form, cpus)
  const path = `/api/v1/namespaces/${encodeURIComponent(ns ?? '')}/scan`
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
            running={state.phase === 'running'}
            onPlace={(next) => void navigate({ search: next, replace: true })}
            onForm={(part) => setForm({ ...form, ...part })}
            onRun={() => start(place, path, body)}
            onStop={stop}
          />
        ),
      }}
      plan={(place) => <ScanPlanCard ns={place} set={set} form={form} cpus={cpus} />}
      stream={{ state, stop }}
      idle="Choose a set and a number of threads, look at the plan, and run. Threads can be changed while the scan runs."
      call={{ path, body }}
    />
  )
}
