import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { CurlLine } from '../../components/CurlLine'
import { NoNamespace } from '../../components/NoNamespace'
import { StreamResult } from '../../components/StreamResult'
import { useDefaultNamespace } from '../../components/use-default-namespace'
import { jsonProblem } from '../../records/bins'
import { bodyWithWhere } from '../../records/body'
import { useRecordStream } from '../../records/use-record-stream'
import { Page } from '../../shell/Page'
import { Card } from '../../ui/Card'
import { Skeleton } from '../../ui/Skeleton'
import { QueryFields, type QueryForm } from './QueryFields'
import { QueryPlanCard } from './QueryPlanCard'

/** Finds records by what they hold; says beforehand which index answers, and afterwards what it cost. */
export function QueryPage() {
  const search = useSearch({ from: '/query' })
  const navigate = useNavigate({ from: '/query' })
  const ns = useDefaultNamespace(search.ns)
  const [form, setForm] = useState<QueryForm>({ limit: '100', route: '', select: '' })
  const { state, start, stop } = useRecordStream()
  const { set = '', where = '' } = search
  const body = queryBody(set, where, form)
  const valid = where.trim() === '' || jsonProblem(where) === undefined
  const path = `/api/v1/namespaces/${encodeURIComponent(ns ?? '')}/query`
  if (ns === '')
    return (
      <Page title="Query">
        <NoNamespace toDo="load data and query it" />
      </Page>
    )
  return (
    <Page title="Query">
      {ns === undefined ? (
        <Card>
          <Skeleton lines={6} />
        </Card>
      ) : (
        <div className="with-form">
          <Card title="Query">
            <QueryFields
              ns={ns}
              set={set}
              where={where}
              form={form}
              valid={valid}
              running={state.phase === 'running'}
              onSearch={(part) =>
                void navigate({ search: { ns, set: search.set, where: search.where, ...part }, replace: true })
              }
              onForm={(part) => setForm({ ...form, ...part })}
              onRun={() => start(path, body)}
              onStop={stop}
            />
          </Card>
          <div className="stack">
            <QueryPlanCard ns={ns} body={body} valid={valid} />
            <StreamResult
              ns={ns}
              state={state}
              stop={stop}
              idle="Add a condition, look at the plan, and run. A containment query finds records whose JSON holds the JSON that you give."
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

function queryBody(set: string, where: string, { limit, route, select }: QueryForm): string {
  const names = select
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return bodyWithWhere(
    {
      set: set === '' ? undefined : set,
      select: names.length === 0 ? undefined : names,
      route: route === '' ? undefined : route,
      limit: /^[1-9]\d*$/.test(limit) ? Number(limit) : undefined,
    },
    where,
  )
}
