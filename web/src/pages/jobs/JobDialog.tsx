import { JobPanel } from '../../components/jobs/JobPanel'
import { JobRateCard } from '../../components/jobs/JobRateCard'
import { useJob } from '../../components/jobs/use-job'
import { NamespaceOf } from '../../components/namespaces/NamespaceOf'
import { dateTime } from '../../format'
import { Dialog } from '../../ui/Dialog'
import { Skeleton } from '../../ui/Skeleton'
import { serverText } from '../../language/server-text'
import { t } from '../../language/text'
import { jobTitle } from '../../components/jobs/job-title'

const asker: Record<string, string> = {
  token: t('the administrator token'),
  console: t('the console, with the administrator token'),
  local: t('a program on this machine, without authentication'),
}

/** All details of a job: times, parameters, result or error. */
export function JobDialog({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  const job = useJob(id)
  const time = (text: string | undefined): string => (text === undefined ? '–' : dateTime(Date.parse(text)))
  return (
    <Dialog title={job === undefined ? t('Job') : jobTitle(job.title)} open={id !== undefined} onClose={onClose} wide>
      {job === undefined ? (
        <Skeleton lines={4} />
      ) : (
        <>
          <JobPanel job={job} />
          <JobRateCard job={job} />
          <dl className="facts">
            <dt>{t('id')}</dt>
            <dd>{job.id}</dd>
            <dt>{t('namespace')}</dt>
            <dd>
              <NamespaceOf namespace={job.namespace} former={job.former} />
              {job.set === undefined ? '' : ` · ${job.set}`}
            </dd>
            {job.who !== undefined && (
              <>
                <dt>{t('started by')}</dt>
                <dd>{asker[job.who] ?? job.who}</dd>
              </>
            )}
            <dt>{t('created')}</dt>
            <dd>{time(job.createdAt)}</dd>
            <dt>{t('started')}</dt>
            <dd>{time(job.startedAt)}</dd>
            <dt>{t('ended')}</dt>
            <dd>{time(job.endedAt)}</dd>
          </dl>
          <h3>{t('Parameters')}</h3>
          <pre className="json" tabIndex={0} aria-label={t('Parameters')}>
            {JSON.stringify(job.parameters, null, 2)}
          </pre>
          {job.damage !== undefined && (
            <>
              <h3>{t('Damaged records')}</h3>
              <ul className="notices" tabIndex={0} aria-label={t('Damaged records')}>
                {job.damage.map(({ set, digest, message, said }) => (
                  <li key={digest}>
                    {set === '' ? t('without a set') : set} <code>{digest}</code>
                    {': '}
                    {serverText(message, said)}
                  </li>
                ))}
              </ul>
            </>
          )}
          {job.result !== undefined && (
            <>
              <h3>{t('Result')}</h3>
              <pre className="json" tabIndex={0} aria-label={t('Result')}>
                {JSON.stringify(job.result, null, 2)}
              </pre>
            </>
          )}
        </>
      )}
    </Dialog>
  )
}
