import type { ReactNode } from 'react'
import type { StreamState } from '../records/use-record-stream'
import { Page } from '../shell/Page'
import { Card } from '../ui/Card'
import { Skeleton } from '../ui/Skeleton'
import { CurlLine } from './CurlLine'
import { NoNamespace } from './NoNamespace'
import { StreamResult } from './StreamResult'

interface Props {
  title: string
  /** undefined while loading, empty where there is none */
  ns: string | undefined
  /** ends "Create a namespace, then …" */
  toDo: string
  form: { title: string; fields: (ns: string) => ReactNode }
  plan: (ns: string) => ReactNode
  /** what stands below the result */
  more?: ReactNode
  stream: { state: StreamState; stop: () => void }
  idle: string
  call: { path: string; body: string }
}

/** A page that asks for records: a form, the plan, the rows as they come, and the call. */
export function StreamPage({ title, ns, toDo, form, plan, more, stream, idle, call }: Props) {
  if (ns === '')
    return (
      <Page title={title}>
        <NoNamespace toDo={toDo} />
      </Page>
    )
  return (
    <Page title={title}>
      {ns === undefined ? (
        <Card>
          <Skeleton lines={6} />
        </Card>
      ) : (
        <div className="with-form">
          <Card title={form.title}>{form.fields(ns)}</Card>
          <div className="stack">
            {plan(ns)}
            <StreamResult {...stream} idle={idle} />
            {more}
            <Card title="From the command line">
              <CurlLine method="POST" {...call} headers={{ Accept: 'application/x-ndjson' }} />
            </Card>
          </div>
        </div>
      )}
    </Page>
  )
}
