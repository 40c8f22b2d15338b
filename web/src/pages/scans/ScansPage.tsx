import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { CurlLine } from '../../components/CurlLine'
import { NoNamespace } from '../../components/NoNamespace'
import { StreamResult } from '../../components/StreamResult'
import { useDefaultNamespace } from '../../components/use-default-namespace'
import { useStatus } from '../../components/use-status'
import { useRecordStream } from '../../records/use-record-stream'
import { Page } from '../../shell/Page'
import { Card } from '../../ui/Card'
import { Skeleton } from '../../ui/Skeleton'
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
  const set = search.set ?? ''
  const body = scanBody(set, form, cpus)
  const path = `/api/v1/namespaces/${encodeURIComponent(ns ?? '')}/scan`
  if (ns === '')
    return (
      <Page title="Scans">
        <NoNamespace toDo="load data and scan it" />
      </Page>
    )
  return (
    <Page title="Scans">
      {ns === undefined ? (
        <Card>
          <Skeleton lines={6} />
        </Card>
      ) : (
        <div className="with-form">
          <Card title="Scan">
            <ScanFields
              ns={ns}
              set={set}
              form={form}
              cpus={cpus}
              running={state.phase === 'running'}
              onPlace={(place) => void navigate({ search: place, replace: true })}
              onForm={(part) => setForm({ ...form, ...part })}
              onRun={() => start(path, body)}
              onStop={stop}
            />
          </Card>
          <div className="stack">
            <ScanPlanCard ns={ns} set={set} form={form} cpus={cpus} />
            <StreamResult
              ns={ns}
              state={state}
              stop={stop}
              idle="Choose a set and a number of threads, look at the plan, and run. Threads can be changed while the scan runs."
            />
            <Card title="From the command line">
              <CurlLine method="POST" path={path} body={body} headers={{ Accept: 'application/x-ndjson' }} stream />
            </Card>
          </div>
        </div>
      )}
    </Page>
  )
}
