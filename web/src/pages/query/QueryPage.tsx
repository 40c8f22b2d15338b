import { useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect } from 'react'
import { StreamPage } from '../../components/StreamPage'
import { useUnsaid } from '../../components/use-unsaid'
import { compactRequest, readRequest } from '../../records/request'
import { useRecordStream } from '../../records/use-record-stream'
import { ExportCard } from './ExportCard'
import { QueryFields } from './QueryFields'
import { QueryPlanCard } from './QueryPlanCard'
import { RequestCard } from './RequestCard'
import { useRequest } from './use-request'

/** Finds records by what they hold; says beforehand which index answers, and afterwards what it cost. */
export function QueryPage() {
  const { ns, text, saved, change, move } = useRequest()
  const { state, start, stop } = useRecordStream()
  const queries = useQueryClient()
  const [unsaid, report] = useUnsaid()
  const problem =
    readRequest(text) === undefined
      ? 'The request is not JSON yet.'
      : unsaid
        ? 'A part of the form is not complete yet: it says what is missing.'
        : undefined
  const valid = problem === undefined
  const running = state.phase === 'running'
  const path = `/api/v1/namespaces/${encodeURIComponent(ns ?? '')}/query`
  const run = (): void => {
    if (valid && !running && ns !== undefined && ns !== '') start(ns, path, text)
  }
  useEffect(() => {
    if (!running) void queries.invalidateQueries({ queryKey: ['query-history'] })
  }, [running, queries])
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    run()
  }
  return (
    // Only listens to what bubbles up from the form and the text.
    <div role="none" onKeyDown={press}>
      <StreamPage
        title="Query"
        ns={ns}
        toDo="load data and query it"
        form={{
          title: 'Query',
          fields: (place) => (
            <QueryFields
              ns={place}
              request={text}
              valid={valid}
              running={running}
              onNamespace={move}
              onRequest={change}
              onUnsaid={report}
              onRun={run}
              onStop={stop}
            />
          ),
        }}
        plan={(place) => (
          <>
            <RequestCard ns={place} text={text} saved={saved} onChange={change} onOpen={move} />
            <QueryPlanCard ns={place} body={text} problem={problem} />
          </>
        )}
        more={<ExportCard ns={ns ?? ''} path={path} body={text} valid={valid} />}
        stream={{ state, stop }}
        idle="Add a condition, look at the plan, and run (Ctrl+Enter). A containment query finds records whose JSON holds the JSON that you give."
        call={{ path, body: compactRequest(text) }}
      />
    </div>
  )
}
