import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect } from 'react'
import { savedQueryQuery } from '../../api/queries'
import { StreamCards } from '../../components/results/StreamCards'
import { useUnsaid } from '../../components/fields/use-unsaid'
import { compactRequest, emptyRequest, prettyRequest, readRequest } from '../../records/request/request'
import { phaseOf, useRecordStream, useStreamPart } from '../../records/use-record-stream'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { change, detach, type Draft, open, type Workbench } from './drafts/drafts'
import { ExportCard } from './ExportCard'
import { QueryFields } from './fields/QueryFields'
import { QueryPlanCard } from './plan/QueryPlanCard'
import { RequestCard } from './RequestCard'
import { t } from '../../language/text'

interface Props {
  draft: Draft
  /** used if the draft names none */
  defaultNamespace: string | undefined
  onUpdate: (change: (bench: Workbench) => Workbench) => void
  onRunning: (id: number, running: boolean) => void
}

/** One query: form, plan and result. It stays mounted, and its query continues, while another one is shown. */
export function QueryPanel({ draft, defaultNamespace, onUpdate, onRunning }: Props) {
  const { id, saved: savedId, text = emptyRequest } = draft
  const { data, error } = useQuery(savedQueryQuery(savedId))
  const saved = data?.id === savedId ? data : undefined
  const ns = draft.ns ?? defaultNamespace
  const stream = useRecordStream()
  const queries = useQueryClient()
  const [unsaid, report] = useUnsaid()
  const running = useStreamPart(stream, phaseOf) === 'running'
  useEffect(() => {
    onRunning(id, running)
    if (!running) void queries.invalidateQueries({ queryKey: ['query-history'] })
  }, [id, running, queries, onRunning])
  useEffect(() => () => onRunning(id, false), [id, onRunning])

  if (ns === undefined || (draft.text === undefined && error === null))
    return (
      <Card>
        <Skeleton lines={6} />
      </Card>
    )
  const problem =
    readRequest(text) === undefined
      ? t('Enter a valid JSON object.')
      : unsaid
        ? t('Complete the marked fields of the form.')
        : undefined
  const valid = problem === undefined
  const path = `/api/v1/namespaces/${encodeURIComponent(ns)}/query`
  const run = (): void => {
    if (valid && !running) stream.start(ns, path, text)
  }
  const write = (next: string): void => onUpdate((bench) => change(bench, id, { ns, text: next }))
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    run()
  }
  return (
    // Only handles keys that bubble up from the form and the text.
    <div role="none" className="stack" onKeyDown={press}>
      <Problem error={draft.text === undefined ? error : null} />
      <StreamCards
        form={{
          title: t('Query'),
          fields: (
            <QueryFields
              ns={ns}
              request={text}
              valid={valid}
              running={running}
              onNamespace={(place, next) =>
                onUpdate((bench) => change(bench, id, { ns: place, text: prettyRequest(next), saved: undefined }))
              }
              onRequest={write}
              onUnsaid={report}
              onRun={run}
              onStop={stream.stop}
            />
          ),
        }}
        plan={
          <>
            <RequestCard
              ns={ns}
              text={text}
              saved={saved}
              onChange={write}
              onSaved={(kept) => onUpdate((bench) => change(bench, id, { ns, text, saved: kept }))}
              onRemoved={(gone) => onUpdate((bench) => detach(bench, gone))}
              onOpen={(place, request, kept) =>
                onUpdate((bench) => open(bench, { ns: place, text: prettyRequest(request), saved: kept }))
              }
            />
            <QueryPlanCard ns={ns} body={text} problem={problem} />
          </>
        }
        more={<ExportCard ns={ns} path={path} body={text} valid={valid} />}
        exports
        stream={stream}
        idle={t(
          'Add a condition, check the plan, and run the query (Ctrl+Enter). A containment query finds records whose JSON contains the JSON you enter.',
        )}
        call={{ path, body: compactRequest(text) }}
      />
    </div>
  )
}
