import { useNavigate, useSearch } from '@tanstack/react-router'
import { StreamPage } from '../../components/results/StreamPage'
import { useDefaultNamespace } from '../../components/namespaces/use-default-namespace'
import { useStatusPart } from '../../components/use-status'
import { useUnsaid } from '../../components/fields/use-unsaid'
import { compactRequest, readRequest } from '../../records/request/request'
import { phaseOf, useRecordStream, useStreamPart } from '../../records/use-record-stream'
import { inPlace } from '../../search'
import { usePlan } from '../query/plan/use-plan'
import { beginsWithFilter, requestProblem } from './request'
import { stepProblemOf } from './step-problem'
import { StreamFields } from './StreamFields'
import { StreamPlanCard } from './StreamPlanCard'
import { StreamRequestCard } from './StreamRequestCard'
import { useRequestText } from './use-request-text'
import { t } from '../../language/text'

/** Runs a stream over records, and shows the elements that pass all steps. */
export function StreamsPage() {
  const ns = useDefaultNamespace(useSearch({ from: '/streams' }).ns)
  const navigate = useNavigate({ from: '/streams' })
  const cpus = useStatusPart(({ cpus }) => cpus) ?? 1
  const [text, setText] = useRequestText(ns)
  const [unsaid, report] = useUnsaid()
  const stream = useRecordStream()
  const problem = requestProblem(text) ?? (unsaid ? t('Complete the marked fields of the form.') : undefined)
  const plan = usePlan('stream', ns ?? '', text, problem === undefined)
  const refused = stepProblemOf(plan.error)
  // The result of a run belongs to the request of that run.
  const failed = stepProblemOf(useStreamPart(stream, ({ body, error }) => (body === text ? error : undefined)))
  const valid = problem === undefined && refused === undefined
  const running = useStreamPart(stream, phaseOf) === 'running'
  const path = `/api/v1/namespaces/${encodeURIComponent(ns ?? '')}/stream`
  const run = (place: string): void => {
    if (valid && !running) stream.start(place, path, text)
  }
  return (
    <StreamPage
      title={t('Streams')}
      ns={ns}
      toDo={t('load data and run a stream over it')}
      form={{
        title: t('Pipeline'),
        fields: (place) => (
          <StreamFields
            ns={place}
            request={text}
            cpus={cpus}
            valid={valid}
            running={running}
            refused={refused ?? failed}
            onNamespace={(next, request) => {
              setText(request)
              void navigate({ search: (now) => ({ ...now, ns: next }), ...inPlace })
            }}
            onRequest={setText}
            onUnsaid={report}
            onRun={() => run(place)}
            onStop={stream.stop}
          />
        ),
      }}
      plan={(place) => (
        <>
          <StreamRequestCard ns={place} text={text} onChange={setText} onRun={() => run(place)} />
          <StreamPlanCard
            ns={place}
            plan={plan.data}
            error={plan.error}
            problem={problem}
            filtered={beginsWithFilter(readRequest(text))}
          />
        </>
      )}
      stream={stream}
      idle={t('Choose a set and an example, or add steps. Each step gets the output of the step before it.')}
      call={{ path, body: compactRequest(text) }}
    />
  )
}
