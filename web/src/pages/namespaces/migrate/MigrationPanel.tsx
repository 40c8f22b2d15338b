import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { resumeMigration, stepMigration } from '../../../api/actions'
import { migrationQuery, namespaceQuery } from '../../../api/queries'
import type { Migration, VersionedNamespace } from '../../../api/types'
import { useMay } from '../../../api/use-may'
import { RoleNeeded } from '../../../components/access/RoleNeeded'
import { CurlLine } from '../../../components/CurlLine'
import { JobPanel } from '../../../components/jobs/JobPanel'
import { useJob, useRefreshNamespaces } from '../../../components/jobs/use-job'
import { count } from '../../../format'
import { ScrollTable } from '../../../table/ScrollTable'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Confirm } from '../../../ui/Confirm'
import { Problem } from '../../../ui/Problem'
import { settingsOf } from '../detail/settings'
import { type Ending, nextOf, type Step, tones } from './steps'
import { serverText } from '../../../language/server-text'
import { t } from '../../../language/text'

/** A migration at work: both stores, the job, and the step that comes next. */
export function MigrationPanel({ migration }: { migration: Migration }) {
  const { namespace, phase, cutOver, failure, jobId } = migration
  const refresh = useRefreshNamespaces()
  const job = useJob(jobId, refresh)
  return (
    <div className="grid-2 top">
      <Card
        title={t('Stores')}
        aside={
          cutOver ? t('the target serves reads and decides writes') : t('the source serves reads and decides writes')
        }
      >
        <Stores migration={migration} />
      </Card>
      <Card title={t('Migration')}>
        <div className="stack">
          <div className="row">
            <span className={`badge ${tones[phase]}`}>{phase}</span>
            {cutOver && <span className="badge good">{t('cut over')}</span>}
          </div>
          {failure !== undefined && failure.message !== job?.error?.message && (
            <div className="problem" role="alert">
              <strong>{t('The store that follows lacks changes')}</strong>
              <code>{failure.code}</code>
              <span>{serverText(failure.message, failure.said)}</span>
            </div>
          )}
          {job !== undefined && <JobPanel job={job} />}
          <dl className="facts">
            <dt>{t('copied')}</dt>
            <dd>{count(migration.copied)}</dd>
            <dt>{t('compared')}</dt>
            <dd>{count(migration.compared)}</dd>
            <dt>{t('repaired')}</dt>
            <dd>{count(migration.repaired)}</dd>
          </dl>
          <Steps key={`${phase} ${cutOver}`} namespace={namespace} {...nextOf(migration)} />
        </div>
      </Card>
    </div>
  )
}

/** Settings of both stores side by side. */
function Stores({ migration: { namespace, source, target } }: { migration: Migration }) {
  const [from, to] = [source, target].map(
    ({ config }) => new Map(settingsOf(config).map((row) => [row.label, row.text])),
  )
  const records = ({ config, records: value }: Migration['source']): string => {
    if (value !== undefined) return count(value)
    // A target there is counted once it is cut over to.
    return config.storage.engine === 'cassandra' ? t('not counted') : t('not open')
  }
  const labels = [...new Set([...(from?.keys() ?? []), ...(to?.keys() ?? [])])]
  const rows = labels.filter((label) => from?.get(label) !== to?.get(label))
  return (
    <ScrollTable label={t('Stores of {namespace}', { namespace })}>
      <thead>
        <tr>
          <th scope="col">{t('what differs')}</th>
          <th scope="col">{t('source')}</th>
          <th scope="col">{t('target')}</th>
        </tr>
      </thead>
      <tbody className="wrapped">
        <tr>
          <th scope="row">{t('records')}</th>
          <td className="num">{records(source)}</td>
          <td className="num">{records(target)}</td>
        </tr>
        {rows.map((label) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td className="num">{from?.get(label) ?? '–'}</td>
            <td className="num">{to?.get(label) ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  )
}

function withoutMigration(namespace: VersionedNamespace): VersionedNamespace {
  const { migration: _, ...rest } = namespace
  return rest
}

interface StepsProps {
  namespace: string
  /** What happens next, in a sentence. */
  words: string
  step: Step | undefined
  ending: Ending
  resumes: boolean
}

function Steps({ namespace, words, step, ending, resumes }: StepsProps): ReactNode {
  const refresh = useRefreshNamespaces()
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const steps = useMay()('finishMigration', { namespace })
  const go = useMutation({ mutationFn: stepMigration, onSettled: refresh })
  const resume = useMutation({ mutationFn: resumeMigration, onSettled: refresh })
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/migration`
  const end = useMutation({
    mutationFn: stepMigration,
    onSuccess: () => {
      setAsking(false)
      // There is no migration to ask for any more.
      queries.removeQueries({ queryKey: migrationQuery(namespace).queryKey })
      queries.setQueryData(namespaceQuery(namespace).queryKey, (shown) => shown && withoutMigration(shown))
    },
    onSettled: refresh,
  })
  if (!steps)
    return (
      <>
        <p>{words}</p>
        <RoleNeeded what={t('Taking the next step')} operation="finishMigration" />
      </>
    )
  return (
    <>
      <p>{words}</p>
      {step !== undefined && <CurlLine method="POST" path={`${path}/${step.path}`} />}
      <Problem error={go.error ?? resume.error} />
      <div className="row">
        {step !== undefined && (
          <Button look="primary" busy={go.isPending} onClick={() => go.mutate({ ns: namespace, step: step.path })}>
            {step.label}
          </Button>
        )}
        {resumes && (
          <Button busy={resume.isPending} onClick={() => resume.mutate(namespace)}>
            {t('Resume')}
          </Button>
        )}
        <Button look="danger" onClick={() => setAsking(true)}>
          {ending.label}…
        </Button>
      </div>
      <Confirm
        title={t('{label} the migration of {namespace}', { label: ending.label, namespace })}
        typed={ending.path === 'finish' ? namespace : undefined}
        action={ending.label}
        busy={end.isPending}
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => end.mutate({ ns: namespace, step: ending.path })}
      >
        <p>{ending.words}</p>
        <Problem error={end.error} />
      </Confirm>
    </>
  )
}
