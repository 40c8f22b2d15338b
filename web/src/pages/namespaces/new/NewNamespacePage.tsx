import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createNamespace } from '../../../api/actions'
import { ApiProblem, problemText } from '../../../api/problem'
import { clustersQuery } from '../../../api/queries'
import { CurlLine } from '../../../components/CurlLine'
import { useRefreshNamespaces } from '../../../components/jobs/use-job'
import { Page } from '../../../shell/Page'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { toast } from '../../../ui/toast'
import type { NamespaceForm } from './fields'
import { configOf, emptyForm, isLocal, problemsOf, refusalOf } from './form'
import { DurabilityFields } from './DurabilityFields'
import { LimitFields } from './LimitFields'
import { SampleEstimate } from './SampleEstimate'
import { SegmentFields } from './SegmentFields'
import { StorageFields } from './StorageFields'
import { UseFields } from './UseFields'
import { t } from '../../../language/text'

/** Creates a namespace. Explains each setting, and shows the exact call. */
export function NewNamespacePage() {
  const navigate = useNavigate()
  const refresh = useRefreshNamespaces()
  const { data: clusters } = useQuery(clustersQuery())
  const [form, setForm] = useState(emptyForm)
  const [tried, setTried] = useState(false)
  const problems = problemsOf(form)
  const config = configOf(form)
  const create = useMutation({
    mutationFn: () => createNamespace(config),
    onSuccess: ({ name }) => {
      refresh()
      toast(t('Namespace {name} is ready', { name }))
      void navigate({ to: '/namespaces/$ns', params: { ns: name } })
    },
  })
  const { error } = create
  const refused = error instanceof ApiProblem ? refusalOf(error.field, problemText(error)) : {}
  const shown = tried ? { ...refused, ...problems } : {}
  const set = (part: Partial<NamespaceForm>): void => {
    // The refusal belonged to the form before this change.
    if (create.isError) create.reset()
    setForm({ ...form, ...part })
  }
  const submit = (): void => {
    setTried(true)
    if (Object.keys(problems).length === 0) create.mutate()
  }
  return (
    <Page title={t('Create a namespace')}>
      <form
        className="grid-2 top"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <div className="stack">
          <UseFields set={set} />
          <StorageFields form={form} set={set} problems={shown} clusters={clusters} />
          {isLocal(form) && <SegmentFields form={form} set={set} problems={shown} />}
          <DurabilityFields form={form} set={set} />
          <LimitFields form={form} set={set} problems={shown} />
        </div>
        <div className="stack sticky">
          {isLocal(form) && <SampleEstimate form={form} set={set} />}
          <Card title={t('Review')}>
            <div className="stack">
              <pre className="json" tabIndex={0} aria-label={t('Configuration as JSON')}>
                {JSON.stringify(config, null, 2)}
              </pre>
              <div className="small mute">{t('The exact call')}</div>
              <CurlLine method="POST" path="/api/v1/namespaces" body={JSON.stringify(config)} />
              <Problem error={error} />
              <div className="row end">
                <Button type="submit" look="primary" busy={create.isPending}>
                  {t('Create namespace')}
                </Button>
              </div>
            </div>
          </Card>
        </div>
      </form>
    </Page>
  )
}
