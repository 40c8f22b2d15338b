import { stateWords } from '../../../../components/state-words'
import { useMutation } from '@tanstack/react-query'
import { switchSetIndex } from '../../../../api/actions'
import type { RecordSet } from '../../../../api/types'
import { useMay } from '../../../../api/use-may'
import { useJob, useRefreshNamespaces } from '../../../../components/jobs/use-job'
import { percentOf } from '../../../../components/jobs/job-state'
import { problemText } from '../../../../api/problem'
import { Progress } from '../../../../ui/Progress'
import { Switch } from '../../../../ui/Switch'
import { toast } from '../../../../ui/toast'
import { t } from '../../../../language/text'

/** Switches a set index on and off while records are written, and shows its build; its state to those who may not. */
export function SetIndexSwitch({ ns, set }: { ns: string; set: RecordSet }) {
  const refresh = useRefreshNamespaces()
  const job = useJob(set.index.state === 'building' ? set.index.jobId : undefined)
  const change = useMutation({
    mutationFn: (on: boolean) => switchSetIndex(ns, set.name, on),
    onSuccess: refresh,
    onError: (error) => toast(problemText(error), 'bad'),
  })
  const switches = useMay()('updateSet', { namespace: ns, set: set.name })
  const on = change.isPending ? change.variables : set.index.state !== 'off'
  if (set.name === '') return <span className="mute">–</span>
  const state = (
    <span className={`badge ${set.index.state === 'on' ? 'good' : set.index.state === 'building' ? 'accent' : ''}`}>
      {stateWords(set.index.state)}
    </span>
  )
  return (
    <span className="row nowrap-row">
      {switches ? (
        <Switch
          label={t('Set index of {name}', { name: set.name })}
          checked={on}
          disabled={change.isPending}
          onChange={(next) => change.mutate(next)}
        >
          {state}
        </Switch>
      ) : (
        state
      )}
      {set.index.state === 'building' && job !== undefined && (
        <span style={{ width: 90 }}>
          <Progress
            label={t('Build of the set index of {name}', { name: set.name })}
            done={percentOf(job) ?? 0}
            total={percentOf(job) === undefined ? undefined : 100}
          />
        </span>
      )}
    </span>
  )
}
