import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { removeLabRun, runExperiment } from '../../api/actions'
import { labQuery, labRunsQuery } from '../../api/queries'
import type { LabExperiment, LabRun } from '../../api/types'
import { useMay } from '../../api/use-may'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { CurlLine } from '../../components/CurlLine'
import { dateTime } from '../../format'
import { inPlace } from '../../search'
import { Page } from '../../shell/Page'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { SmallSelect } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Progress } from '../../ui/Progress'
import { Segmented } from '../../ui/Segmented'
import { Skeleton } from '../../ui/Skeleton'
import { ReportCards } from './ReportCards'
import { RowsTable } from './RowsTable'
import { Statements } from './Statements'
import { serverText } from '../../language/server-text'
import { t, tIn } from '../../language/text'
import { JobError } from '../../components/jobs/JobError'
import { ActionButton } from '../../components/access/ActionButton'

const scales = [
  { value: 'quick', label: t('quick, about 45 s') },
  { value: 'full', label: t('full, up to 15 min') },
] as const
type Scale = (typeof scales)[number]['value']

/** Published measurements compared with this machine. */
export function LabPage() {
  const { data, error, refetch } = useQuery(labQuery())
  const { experiment: named } = useSearch({ from: '/lab' })
  const shown = data?.experiments.find(({ id }) => id === named) ?? data?.experiments[0]
  return (
    <Page title={t('Lab')}>
      <nav className="tabs" aria-label={t('Experiments')}>
        {data?.experiments.map(({ id, title }) => (
          <Link key={id} to="/lab" search={{ experiment: id }} aria-current={id === shown?.id ? 'page' : undefined}>
            {serverText(title)}
          </Link>
        ))}
      </nav>
      <Problem error={error} {...(error !== null && { onRetry: () => void refetch() })} />
      {data === undefined && error === null && (
        <Card>
          <Skeleton lines={6} />
        </Card>
      )}
      {shown !== undefined && <Experiment key={shown.id} experiment={shown} />}
    </Page>
  )
}

function Experiment({ experiment }: { experiment: LabExperiment }) {
  const { run: named } = useSearch({ from: '/lab' })
  const navigate = useNavigate({ from: '/lab' })
  const queries = useQueryClient()
  const may = useMay()
  const runsHere = may('runExperiment')
  const [scale, setScale] = useState<Scale>('quick')
  const { data, error } = useQuery(labRunsQuery())
  const runs = (data?.items ?? []).filter((run) => run.experiment === experiment.id)
  const going = data?.items.find((run) => run.endedAt === undefined)
  const shown = runs.find((run) => run.id === named) ?? runs.find((run) => run.report !== undefined)
  const onSuccess = (): void => void queries.invalidateQueries({ queryKey: ['lab', 'runs'] })
  const start = useMutation({ mutationFn: () => runExperiment(experiment.id, scale), onSuccess })
  const abort = useMutation({ mutationFn: removeLabRun, onSuccess })
  return (
    <>
      <Card title={serverText(experiment.title)} aside={serverText(experiment.repeats)}>
        <div className="stack">
          <div className="row">
            {runsHere ? (
              <>
                <Segmented label={t('Scale')} value={scale} choices={scales} onChange={setScale} />
                <Button
                  look="primary"
                  busy={start.isPending}
                  disabled={going !== undefined}
                  onClick={() => start.mutate()}
                >
                  {t('Run here')}
                </Button>
              </>
            ) : (
              <RoleNeeded what={t('Running it here')} operation="runExperiment" />
            )}
            {runs.length > 0 && (
              <SmallSelect
                label={tIn('one of several', 'Run')}
                value={shown?.id ?? ''}
                choices={[
                  ...(shown === undefined ? [{ value: '', label: t('no report yet') }] : []),
                  ...runs.map((run) => ({ value: run.id, label: runWords(run) })),
                ]}
                onChange={(run) => void navigate({ search: { experiment: experiment.id, run }, ...inPlace })}
              />
            )}
          </div>
          {going !== undefined && (
            <div className="stack-small">
              <Progress label={t('Progress of the experiment')} done={going.progress.done} total={1} />
              <div className="spread">
                <span className="mute">{serverText(going.progress.says, going.progress.said)}</span>
                <ActionButton
                  operation="removeLabRun"
                  small
                  look="danger"
                  busy={abort.isPending}
                  onClick={() => abort.mutate(going.id)}
                >
                  {t('Abort')}
                </ActionButton>
              </div>
            </div>
          )}
          {shown?.error !== undefined && <JobError error={shown.error} />}
          <Problem error={error ?? start.error ?? abort.error} />
          {runsHere && (
            <CurlLine method="POST" path="/api/v1/lab" body={JSON.stringify({ experiment: experiment.id, scale })} />
          )}
        </div>
      </Card>
      {experiment.published.statements !== undefined && (
        <Statements statements={experiment.published.statements} claims={shown?.report?.claims ?? []} />
      )}
      {shown?.report === undefined ? (
        <Card>
          <Empty title={t('Not measured on this machine yet')}>
            {t(
              'A run creates its own namespaces, loads them, measures, and drops them. Other work on this machine distorts the figures.',
            )}
          </Empty>
        </Card>
      ) : (
        <ReportCards experiment={experiment} report={shown.report} />
      )}
      <Card title={t('Published')} aside={serverText(experiment.published.note)} flush>
        <RowsTable label={t('Published')} columns={experiment.published.columns} rows={experiment.published.rows} />
      </Card>
    </>
  )
}

function runWords(run: LabRun): string {
  const holds = run.report?.claims.filter((claim) => claim.holds).length
  const outcome =
    run.report === undefined
      ? run.state
      : t('{holds} of {claims, plural, one {# claim} other {# claims}} hold', {
          holds: holds ?? 0,
          claims: run.report.claims.length,
        })
  return `${dateTime(Date.parse(run.startedAt))} · ${run.scale} · ${outcome}`
}
