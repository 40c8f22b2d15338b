import { useMemo } from 'react'
import { NamespacePicker, SetPicker } from '../../components/fields/pickers'
import { RunForm } from '../../components/fields/RunForm'
import { useBinNames, useSample } from '../../components/fields/use-sample'
import type { ReportUnsaid } from '../../components/fields/use-unsaid'
import { memberText, readRequest, type Request, withMember } from '../../records/request/request'
import { limitText, setOf } from '../../records/request/request-fields'
import { Button } from '../../ui/Button'
import { NumberField } from '../../ui/NumberField'
import { examplesOf } from './examples'
import { keptMembers, threadsProblem } from './request'
import { StepList } from './StepList'
import type { StepProblem } from './step-problem'
import { t } from '../../language/text'
import { Say } from '../../language/Say'
import { ONE_OR_MORE, THREADS } from '../../ui/number'

interface Props {
  ns: string
  /** JSON text */
  request: string
  cpus: number
  /** whether the request is complete and in sync with the form */
  valid: boolean
  running: boolean
  refused: StepProblem | undefined
  onNamespace: (ns: string, request: string) => void
  /** `apart`: adds a history entry, so that Back restores the previous text */
  onRequest: (request: string, apart?: boolean) => void
  onUnsaid: ReportUnsaid
  onRun: () => void
  onStop: () => void
}

/** A stream as a form: source and steps. */
export function StreamFields({ ns, request: text, valid, running, onNamespace, onRun, onStop, ...rest }: Props) {
  const request = readRequest(text)
  return (
    <RunForm action={t('Run stream')} valid={valid} running={running} onRun={onRun} onStop={onStop}>
      <NamespacePicker
        value={ns}
        onChange={(next) => onNamespace(next, request === undefined ? text : withMember(request, 'set', ''))}
      />
      {request === undefined ? (
        <p className="note small" role="status">
          {t('Enter a valid JSON object to update the form.')}
        </p>
      ) : (
        <Members ns={ns} request={request} {...rest} />
      )}
    </RunForm>
  )
}

interface MembersProps {
  ns: string
  request: Request
  cpus: number
  refused: StepProblem | undefined
  onRequest: (request: string, apart?: boolean) => void
  onUnsaid: ReportUnsaid
}

function Members({ ns, request, cpus, refused, onRequest, onUnsaid }: MembersProps) {
  const set = setOf(memberText(request, 'set'))
  const sample = useSample(ns, set)
  const bins = useBinNames(ns, set)
  const examples = useMemo(() => examplesOf(sample), [sample])
  const write = (name: string) => (text: string) => onRequest(withMember(request, name, text))
  const kept = keptMembers(request)
  return (
    <>
      <SetPicker
        ns={ns}
        value={set}
        absent="all sets"
        onChange={(next) => write('set')(next === undefined ? '' : JSON.stringify(next))}
      />
      <div className="grid-2 pair">
        <NumberField
          label={t('Threads')}
          {...THREADS}
          value={memberText(request, 'threads')}
          placeholder={String(cpus)}
          onChange={(typed) => write('threads')(limitText(typed))}
          error={threadsProblem(request)}
          hint={t('1 to 128')}
        />
        <NumberField
          label={t('Records per second')}
          {...ONE_OR_MORE}
          value={memberText(request, 'recordsPerSecond')}
          placeholder={t('no throttle')}
          onChange={(typed) => write('recordsPerSecond')(limitText(typed))}
        />
      </div>
      <div className="stack-small" role="group" aria-label={t('Examples')}>
        <strong className="small">{t('Examples')}</strong>
        <div className="row">
          {examples.map(({ title, steps }) => (
            <Button key={title} small onClick={() => onRequest(withMember(request, 'steps', steps), true)}>
              {title}
            </Button>
          ))}
        </div>
      </div>
      {!kept.includes('steps') && (
        <StepList
          bins={bins}
          text={memberText(request, 'steps')}
          refused={refused}
          onText={write('steps')}
          onUnsaid={onUnsaid}
        />
      )}
      {kept.length > 0 && (
        <p className="note small">
          <Say
            text="Only the JSON shows <code>{names}</code>; the form keeps {n, plural, one {it} other {them}}."
            values={{ names: kept.join(', '), n: kept.length }}
          />
        </p>
      )}
    </>
  )
}
