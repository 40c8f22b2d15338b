import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { startJob } from '../../api/actions'
import { useBinNames } from '../../components/fields/use-sample'
import { CurlLine } from '../../components/CurlLine'
import { FilterBuilder } from '../../components/fields/FilterBuilder'
import { NamespacePicker, SetPicker } from '../../components/fields/pickers'
import { useDefaultNamespace } from '../../components/namespaces/use-default-namespace'
import { useRefreshNamespaces } from '../../components/jobs/use-job'
import { useUnsaid } from '../../components/fields/use-unsaid'
import { jsonProblem } from '../../records/bins'
import { requestBody } from '../../records/body'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Problem } from '../../ui/Problem'
import { t } from '../../language/text'

interface Props {
  open: boolean
  onClose: () => void
  onStarted: (id: string) => void
}

/** Counts the records of a set that match a filter, in the background. */
export function CountRecords(props: Props) {
  return (
    <Dialog title={t('Count records')} open={props.open} onClose={props.onClose}>
      <CountForm {...props} />
    </Dialog>
  )
}

function CountForm({ onClose, onStarted }: Props) {
  const refresh = useRefreshNamespaces()
  const [named, setNamed] = useState<string | undefined>(undefined)
  const ns = useDefaultNamespace(named) ?? ''
  const [set, setSet] = useState<string>()
  const [where, setWhere] = useState('')
  const [unsaid, report] = useUnsaid()
  const bins = useBinNames(ns, set)
  const body = requestBody({ kind: 'count', namespace: ns, set }, { where })
  const count = useMutation({
    mutationFn: () => startJob(body),
    onSuccess: (job) => {
      refresh()
      onStarted(job.id)
    },
  })
  const wrong = unsaid || (where.trim() !== '' && jsonProblem(where) !== undefined)
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        count.mutate()
      }}
    >
      <NamespacePicker
        value={ns}
        onChange={(next) => {
          setNamed(next)
          setSet(undefined)
        }}
      />
      <SetPicker ns={ns} value={set} onChange={setSet} absent="all sets" withoutSet="never" />
      <FilterBuilder bins={bins} where={where} onChange={setWhere} onUnsaid={report} />
      <CurlLine method="POST" path="/api/v1/jobs" body={body} />
      <Problem error={count.error} />
      <div className="row end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button type="submit" look="primary" busy={count.isPending} disabled={ns === '' || wrong}>
          {t('Count')}
        </Button>
      </div>
    </form>
  )
}
