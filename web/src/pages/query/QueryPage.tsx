import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { StreamPage } from '../../components/StreamPage'
import { useDefaultNamespace } from '../../components/use-default-namespace'
import { jsonProblem } from '../../records/bins'
import { bodyWithWhere } from '../../records/body'
import { useRecordStream } from '../../records/use-record-stream'
import { QueryFields, type QueryForm } from './QueryFields'
import { QueryPlanCard } from './QueryPlanCard'

/** Finds records by what they hold; says beforehand which index answers, and afterwards what it cost. */
export function QueryPage() {
  const search = useSearch({ from: '/query' })
  const navigate = useNavigate({ from: '/query' })
  const ns = useDefaultNamespace(search.ns)
  const [form, setForm] = useState<QueryForm>({ limit: '100', route: '', select: '' })
  const { state, start, stop } = useRecordStream()
  const { set, where = '' } = search
  const body = queryBody(set, where, form)
  const problems = {
    where: where.trim() === '' ? undefined : jsonProblem(where),
    limit: form.limit === '' || /^[1-9]\d{0,14}$/.test(form.limit) ? undefined : 'A whole number, or empty for all',
  }
  const path = `/api/v1/namespaces/${encodeURIComponent(ns ?? '')}/query`
  return (
    <StreamPage
      title="Query"
      ns={ns}
      toDo="load data and query it"
      form={{
        title: 'Query',
        fields: (place) => (
          <QueryFields
            ns={place}
            set={set}
            where={where}
            form={form}
            problems={problems}
            running={state.phase === 'running'}
            onSearch={(part) =>
              void navigate({ search: { ns: place, set, where: search.where, ...part }, replace: true })
            }
            onForm={(part) => setForm({ ...form, ...part })}
            onRun={() => start(path, body)}
            onStop={stop}
          />
        ),
      }}
      plan={(place) => <QueryPlanCard ns={place} body={body} valid={problems.where === undefined} />}
      stream={{ state, stop }}
      idle="Add a condition, look at the plan, and run. A containment query finds records whose JSON holds the JSON that you give."
      call={{ path, body }}
    />
  )
}

function queryBody(set: string | undefined, where: string, { limit, route, select }: QueryForm): string {
  const names = select
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return bodyWithWhere(
    {
      set,
      select: names.length === 0 ? undefined : names,
      route: route === '' ? undefined : route,
      limit: /^[1-9]\d{0,14}$/.test(limit) ? Number(limit) : undefined,
    },
    where,
  )
}
