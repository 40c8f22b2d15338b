import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { setsQuery } from '../../api/queries'
import { StreamPage } from '../../components/StreamPage'
import { useDefaultNamespace } from '../../components/use-default-namespace'
import { useRecordStream } from '../../records/use-record-stream'
import { emptyQuery, queryBody, queryProblems } from './query-form'
import { QueryFields } from './QueryFields'
import { QueryPlanCard } from './QueryPlanCard'

/** Finds records by what they hold; says beforehand which index answers, and afterwards what it cost. */
export function QueryPage() {
  const search = useSearch({ from: '/query' })
  const navigate = useNavigate({ from: '/query' })
  const ns = useDefaultNamespace(search.ns)
  const [form, setForm] = useState(emptyQuery)
  const { state, start, stop } = useRecordStream()
  const { set, where = '' } = search
  const distributionBin = useQuery(setsQuery(ns ?? '')).data?.items.find(({ name }) => name === set)?.distributionBin
  const body = queryBody({ set, where, distributionBin }, form)
  const problems = queryProblems(where, form)
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
            distributionBin={distributionBin}
            form={form}
            problems={problems}
            running={state.phase === 'running'}
            onSearch={(part) =>
              void navigate({ search: { ns: place, set, where: search.where, ...part }, replace: true })
            }
            onForm={(part) => setForm({ ...form, ...part })}
            onRun={() => start(place, path, body)}
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
