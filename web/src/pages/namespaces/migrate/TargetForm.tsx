import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { migrateNamespace } from '../../../api/actions'
import { ApiProblem, problemText } from '../../../api/problem'
import { clustersQuery } from '../../../api/queries'
import type { Namespace } from '../../../api/types'
import { CurlLine } from '../../../components/CurlLine'
import { useRefreshNamespaces } from '../../../components/jobs/use-job'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Help } from '../../../ui/Help'
import { plainChoices, SelectField } from '../../../ui/inputs'
import { NumberField } from '../../../ui/NumberField'
import { Problem } from '../../../ui/Problem'
import { ContainerFields } from '../new/ContainerFields'
import { EngineFields } from '../new/EngineFields'
import type { NamespaceForm } from '../new/fields'
import { hasDisks, isLocal, problemsOf, refusalOf } from '../new/form'
import { SEGMENTS } from '../new/SegmentFields'
import { formOf, targetOf } from './target'
import { t } from '../../../language/text'

const DURABILITIES = [
  { value: 'commit', label: t('commit: on disk before the answer') },
  { value: 'relaxed', label: t('relaxed: on disk within the flush interval') },
] as const

/** What the namespace is to be stored in, and the call that begins it. */
export function TargetForm({ namespace: { name, config } }: { namespace: Namespace }) {
  const refresh = useRefreshNamespaces()
  const isOnCluster = config.storage.engine === 'cassandra'
  // From a cluster to a cluster there is no way.
  const { data: clusters } = useQuery({ ...clustersQuery(), enabled: !isOnCluster })
  const [form, setForm] = useState(() => formOf(config))
  const [pace, setPace] = useState('')
  const slow = /^[1-9]\d{0,8}$/.test(pace)
  const target = targetOf(config, form)
  const body = target === null ? null : { ...target, ...(slow && { recordsPerSecond: Number(pace) }) }
  const begin = useMutation({ mutationFn: migrateNamespace, onSettled: refresh })
  const { error } = begin
  const problems = problemsOf(form)
  const refused = error instanceof ApiProblem ? refusalOf(error.field, problemText(error)) : {}
  const set = (part: Partial<NamespaceForm>): void => {
    if (begin.isError) begin.reset()
    setForm({ ...form, ...part })
  }
  const ready = body !== null && Object.keys(problems).length === 0 && (pace === '' || slow)
  const segments = [...new Set([...SEGMENTS, form.segments])].toSorted((a, b) => Number(a) - Number(b))
  return (
    <form
      className="grid-2 top"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) begin.mutate({ ns: name, body })
      }}
    >
      <Card
        title={t('Target')}
        aside={isOnCluster ? t('what it leaves the cluster for') : t('as it is now; change what you want')}
      >
        <div className="stack">
          <EngineFields form={form} set={set} problems={{ ...refused, ...problems }} clusters={clusters} isTarget />
          {form.engine === 'memory' && <ContainerFields form={form} set={set} problems={{ ...refused, ...problems }} />}
          <div className="grid-2">
            {isLocal(form) && (
              <SelectField
                label={t('Segments')}
                value={form.segments}
                choices={plainChoices(segments)}
                onChange={(value) => set({ segments: value })}
              />
            )}
            {hasDisks(form) && (
              <SelectField
                label={t('Durability')}
                value={form.durability}
                choices={DURABILITIES}
                onChange={(durability) => set({ durability })}
              />
            )}
            <NumberField
              label={t('Records per second')}
              value={pace}
              onChange={setPace}
              placeholder={t('no limit')}
              hint={t('Limits the copy. It can change while it runs')}
              error={pace === '' || slow ? undefined : t('A whole number above 0')}
            />
          </div>
        </div>
      </Card>
      <Card title={t('Migrate')}>
        <div className="stack">
          <Help>
            {t(
              'The namespace is read and written all the time. Each change goes to both stores, so a write costs as much as two, and both take space until the end. Records are copied, and every one is compared. Then you cut over, and can roll back until you finish. Meanwhile its settings, sets and indexes stay as they are.',
            )}{' '}
            {(isOnCluster || !isLocal(form)) &&
              t('Other servers read the records on the cluster meanwhile, and write none.')}
          </Help>
          {body === null ? (
            <p className="mute">{t('Change a setting of the target to begin.')}</p>
          ) : (
            <CurlLine
              method="POST"
              path={`/api/v1/namespaces/${encodeURIComponent(name)}/migrate`}
              body={JSON.stringify(body)}
            />
          )}
          <Problem error={error} />
          <div className="row end">
            <Button type="submit" look="primary" disabled={!ready} busy={begin.isPending}>
              {t('Migrate')}
            </Button>
          </div>
        </div>
      </Card>
    </form>
  )
}
